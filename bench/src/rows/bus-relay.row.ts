import { randomUUID } from 'node:crypto';
import { busToMeasure, partitions, publishAll } from '../event-bus/bus-to-measure.js';
import type { Row } from '../row.js';

/** As many messages as the relay puts in one transaction, which it also limits in bytes. */
const inATransaction = 500;

/**
 * Catching up from the start: the relay reads each event from the log, turns it into a record, and
 * publishes it with its checkpoint.
 */
export const busRelay: Row = {
  name: 'bus-relay',
  title: 'the relay publishing a log to Kafka from the start',
  yardstick: `a bare transactional producer, ${inATransaction} messages of the same size per transaction`,
  isDistributed: true,
  figures: [{ name: 'published', unit: '/s', goals: [] }],
  prepare: async (bench) => {
    const bus = await busToMeasure(bench);
    const { raw, events } = bus;
    const value = JSON.stringify({ text: 'x'.repeat(500) });
    const message = (n: number) => ({
      key: `aff_${n % 1_000}`,
      value,
      headers: {
        ce_id: `evt_${n}`,
        ce_type: 'conversion.created',
        ce_source: '/refledger/logs/bench',
        ce_position: String(n),
        ce_revision: '0',
        ce_subject: `conv_${n}`,
        ce_specversion: '1.0',
      },
    });
    const transactions = Array.from({ length: Math.ceil(events / inATransaction) }, (_, nth) =>
      Array.from({ length: Math.min(inATransaction, events - nth * inATransaction) }, (_none, k) =>
        message(nth * inATransaction + k),
      ),
    );
    // the broker's first transactions are slow
    await publishAll(bus);
    return {
      measure: async () => ({ published: events / ((await publishAll(bus)).ms / 1_000) }),
      yardstick: async () => {
        const topic = `raw-${randomUUID()}`;
        await raw.createTopic(topic, partitions);
        const begin = performance.now();
        await raw.publish(topic, transactions);
        return { published: events / ((performance.now() - begin) / 1_000) };
      },
    };
  },
};
