import type { StreamName } from '@refledger/contracts';
import type { EventLog, ReadStreamOptions } from '@refledger/event-log';
import {
  eachWithLog,
  eventWith,
  expectNeverOlder,
  expectContinuedReading,
  last,
  newStream,
  type EventLogUnderTest,
} from '@refledger/event-log/conformance';
import { AggregateCache } from '../src/aggregate-cache.js';

/** Loads streams through a new cache. */
const cached = (log: EventLog) => {
  const cache = new AggregateCache(log);
  return (stream: StreamName) => cache.load(last, stream);
};

/**
 * Cached streams equal what reading them would give, on a log with `versions` and on one without.
 */
export const aggregateCacheSuite = (start: () => Promise<EventLogUnderTest>): void => {
  const handles = eachWithLog(start);

  it('is never older than an acknowledged append by any handle', () =>
    expectNeverOlder(handles(), cached));

  it('reads a changed stream from its last known event on', () =>
    expectContinuedReading(handles(), cached));

  it('drops a stream whose history is no longer the same', async () => {
    const { log } = handles();
    const [stream, shorter, other] = [newStream(), newStream(), newStream()];
    await log.append(stream, [0, 1, 2].map(eventWith), 'no stream');
    await log.append(shorter, [10, 11].map(eventWith), 'no stream');
    await log.append(other, [20, 21, 22].map(eventWith), 'no stream');
    let now: StreamName = stream;
    const cache = new AggregateCache(
      Object.assign(Object.create(log) as EventLog, {
        versions: undefined,
        readStream: (_stream: StreamName, options: ReadStreamOptions) =>
          log.readStream(now, options),
      }),
    );
    expect(await cache.load(last, stream)).toMatchObject({ state: 2, revision: 2 });

    for (const [is, state, revision] of [
      [other, 22, 2],
      [shorter, 11, 1],
      [newStream(), 0, undefined],
      [stream, 2, 2],
    ] as const) {
      now = is;
      expect(await cache.load(last, stream)).toMatchObject({ state, revision });
    }
  });
};
