import { streamPrefix } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { logsToMeasure } from '../event-log/logs-to-measure.js';
import { fill } from '../event-log/sample-events.js';
import type { Row } from '../row.js';

const batchSize = 1_000;

/**
 * Catching up from the start: with a subscription, as an event processor does, and by reading the
 * log once to its end.
 */
export const logFollow: Row = {
  name: 'log-follow',
  title: 'following the event log on EventStoreDB from the start',
  yardstick: 'the raw client on the same server',
  isDistributed: true,
  figures: [
    { name: 'subscribed', unit: '/s', goals: [] },
    { name: 'read', unit: '/s', goals: [] },
    { name: 'embedded, read', unit: '/s', goals: [] },
  ],
  prepare: async (bench) => {
    const { log, raw, embedded } = await logsToMeasure(bench);
    const count = bench.count(100_000);
    for (const each of [log, embedded]) await fill(each, count);
    // a server named by the environment may already hold events
    const events = await read(log);
    const embeddedEvents = await read(embedded);
    const rate = async (expected: number, work: () => Promise<number | void>): Promise<number> => {
      const begin = performance.now();
      const came = (await work()) ?? expected;
      if (came !== expected) throw new Error(`${came} events arrived, but the log has ${expected}`);
      return expected / ((performance.now() - begin) / 1_000);
    };
    await subscribed(log, events);
    return {
      measure: async () => ({
        subscribed: await rate(events, () => subscribed(log, events)),
        read: await rate(events, () => read(log)),
        'embedded, read': await rate(embeddedEvents, () => read(embedded)),
      }),
      yardstick: async () => ({
        subscribed: await rate(events, () => raw.follow(streamPrefix, events)),
        read: await rate(events, () => raw.readAll(streamPrefix)),
      }),
    };
  },
};

const subscribed = async (log: EventLog, count: number): Promise<number> => {
  let seen = 0;
  const ending = new AbortController();
  for await (const { events } of log.subscribe({ batchSize, signal: ending.signal }))
    if ((seen += events.length) >= count) break;
  ending.abort();
  return seen;
};

const read = async (log: EventLog): Promise<number> => {
  let seen = 0;
  for await (const { events } of log.readAll({ batchSize })) seen += events.length;
  return seen;
};
