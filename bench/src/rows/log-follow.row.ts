import { streamPrefix } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { logsToMeasure } from '../event-log/logs-to-measure.js';
import { fill } from '../event-log/sample-events.js';
import type { Row } from '../row.js';

const batchSize = 1_000;

/** Catching up from the start: as a follower does it, by a subscription, and reading the log once to its end. */
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
    const rate = async (work: () => Promise<number | void>): Promise<number> => {
      const begin = performance.now();
      const events = (await work()) ?? count + 1;
      // with the event that begins the log
      if (events !== count + 1) throw new Error(`${events} events came, there are ${count + 1}`);
      return events / ((performance.now() - begin) / 1_000);
    };
    await rate(() => subscribed(log, count + 1));
    return {
      measure: async () => ({ subscribed: await rate(() => subscribed(log, count + 1)), read: await rate(() => read(log)), 'embedded, read': await rate(() => read(embedded)) }),
      yardstick: async () => ({ subscribed: await rate(() => raw.follow(streamPrefix, count + 1)), read: await rate(() => raw.readAll(streamPrefix)) }),
    };
  },
};

const subscribed = async (log: EventLog, count: number): Promise<number> => {
  let seen = 0;
  const ending = new AbortController();
  for await (const { events } of log.subscribe({ batchSize, signal: ending.signal })) if ((seen += events.length) >= count) break;
  ending.abort();
  return seen;
};

const read = async (log: EventLog): Promise<number> => {
  let seen = 0;
  for await (const { events } of log.readAll({ batchSize })) seen += events.length;
  return seen;
};
