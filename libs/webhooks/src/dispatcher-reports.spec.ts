import { streams, toInstant, type Position, type StreamName } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { lagOf } from './dispatcher-reports.js';

const positionOf = (position: number): Position => String(position) as Position;
const endpoints = streams.allWebhooks;

/** Test double: a log with these events, recorded one second apart. It does not support appends. */
const logOf = (...names: readonly StreamName[]): Pick<EventLog, 'head' | 'readAll'> => {
  const events = names.map(
    (stream, n) =>
      ({
        stream,
        position: positionOf(n + 1),
        metadata: { recorded_at: toInstant(n * 1_000) },
      }) as LoggedEvent,
  );
  return {
    head: () => Promise.resolve(events.at(-1)?.position),
    async *readAll({ after, prefix = '' as StreamName } = {}) {
      for (const event of events)
        if (Number(event.position) > Number(after ?? 0) && event.stream.startsWith(prefix))
          yield await Promise.resolve({ events: [event], through: event.position });
    },
  };
};
const [sale, endpoint] = ['refledger.sale' as StreamName, `${endpoints}a` as StreamName];
const lag = (log: Pick<EventLog, 'head' | 'readAll'>, planned?: number, followed?: number) =>
  lagOf({
    log,
    planned: planned === undefined ? undefined : positionOf(planned),
    followed: followed === undefined ? undefined : positionOf(followed),
    endpoints,
    now: 10_000,
  });
const none = { positions: 0n, seconds: 0, endpointSeconds: 0 };

it('there is no lag on an empty log, or at its head', async () => {
  expect(await lag(logOf())).toEqual(none);
  expect(await lag(logOf(sale, endpoint), 2, 2)).toEqual(none);
});

it('the lag is the age of the oldest event that is not planned, and of the oldest change not followed', async () => {
  const log = logOf(endpoint, sale, sale, endpoint, sale);
  expect(await lag(log)).toEqual({ positions: 5n, seconds: 10, endpointSeconds: 10 });
  expect(await lag(log, 1, 1)).toEqual({ positions: 4n, seconds: 9, endpointSeconds: 7 });
  expect(await lag(log, 2, 4)).toEqual({ positions: 3n, seconds: 8, endpointSeconds: 0 });
});
