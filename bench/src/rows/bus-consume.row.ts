import { randomUUID } from 'node:crypto';
import { openEventBus } from '@refledger/event-bus';
import {
  busToMeasure,
  personalData,
  publishAll,
  quiet,
  type BusToMeasure,
} from '../event-bus/bus-to-measure.js';
import type { Row } from '../row.js';

/**
 * One consumer reads everything that a relay has published, measured from when it joins its group.
 */
export const busConsume: Row = {
  name: 'bus-consume',
  title: 'consuming the event bus on Kafka from the start',
  yardstick: 'a bare read-committed consumer that parses each message',
  isDistributed: true,
  figures: [{ name: 'consumed', unit: '/s', goals: [] }],
  prepare: async (bench) => {
    const bus = await busToMeasure(bench);
    const { prefix } = await publishAll(bus);
    const rate = async (work: () => Promise<void>): Promise<number> => {
      const begin = performance.now();
      await work();
      return bus.events / ((performance.now() - begin) / 1_000);
    };
    await consumed(bus, prefix);
    return {
      measure: async () => ({ consumed: await rate(() => consumed(bus, prefix)) }),
      yardstick: async () => ({
        consumed: await rate(() => bus.raw.consume(`${prefix}.conversions`, bus.events)),
      }),
    };
  },
};

const consumed = async ({ url, log, events }: BusToMeasure, prefix: string): Promise<void> => {
  const bus = await openEventBus(url, {
    prefix,
    group: `bench-${randomUUID()}`,
    log,
    personalData,
    logger: quiet,
  });
  let seen = 0;
  for await (const { records } of bus.consume({
    offsetOf: () => Promise.resolve(undefined),
    signal: new AbortController().signal,
  }))
    if ((seen += records.length) >= events) break;
  await bus.close();
};
