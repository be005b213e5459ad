import { setTimeout as sleep } from 'node:timers/promises';
import { scaledTimeout } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  serverFaults,
  startDisposableEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import { comparePositions, type Position, type StreamName } from '@refledger/contracts';
import {
  batchesOf,
  eventsOf,
  faultOf,
  idsOf,
  newEvent,
  newEvents,
  newStream,
} from '../conformance/under-test.js';
import { isEventLogError } from '../event-log-error.js';
import type { AppendResult, EventLog, ExpectedRevision, NewEvent } from '../event-log.js';
import { follow } from '../event-processor/follow.js';
import { ProcessorProgress } from '../event-processor/processor-progress.js';
import { openEventStoreDbEventLog } from './index.js';

let server: TestServer;
const logs: EventLog[] = [];
beforeAll(async () => {
  server = await startDisposableEventStoreDb();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
});

/** Short, so that a suspended server is noticed soon. */
const deadlineMs = scaledTimeout(2_000);
const open = async (): Promise<EventLog> => {
  const log = await openEventStoreDbEventLog({ url: server.url, deadlineMs });
  logs.push(log);
  return log;
};

/**
 * Repeats the identical append until the response is definite, as a caller that must know the
 * outcome does. Also counts the attempts.
 */
const appendAnyhow = async (
  log: EventLog,
  stream: StreamName,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): Promise<{ response: AppendResult; attempts: number }> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return { response: await log.append(stream, events, expected), attempts };
    } catch (error) {
      if (!isEventLogError(error, 'unavailable', 'unknown_outcome')) throw error;
      await sleep(30);
    }
  }
};

/** Follows the log with a processor and records the events that it handles, in order. */
const following = (log: EventLog, after: Position | undefined) => {
  const handled: string[] = [];
  let checkpoint = after;
  const stop = new AbortController();
  const states: string[] = [];
  const ended = follow(
    {
      name: 'tester',
      log,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      progress: new ProcessorProgress(({ state }) => states.push(state), Date.now),
      start: () => Promise.resolve(checkpoint),
      handle: async ({ events, through }) => {
        handled.push(...events.map(({ id }) => id));
        await sleep(1);
        checkpoint = through;
      },
    },
    stop.signal,
  );
  return {
    handled,
    states,
    until: async (id: string): Promise<void> => {
      while (!handled.includes(id)) await sleep(10);
      stop.abort();
      await ended;
    },
  };
};

describe.each(serverFaults(() => server, deadlineMs))(
  'a server that is %s',
  (_name, injectFault) => {
    it('loses or duplicates no concurrent append, and a processor gets each event once, in log order', async () => {
      const [log, other] = [await open(), await open()];
      const head = await log.head();
      const processor = following(other, head);
      const ledger: { stream: StreamName; ids: string[]; positions: (Position | undefined)[] }[] =
        [];
      let over = false;
      let repeated = 0;
      const writers = Array.from({ length: 12 }, async (_, n) => {
        const entry = {
          stream: newStream(`writer-${n}`),
          ids: [] as string[],
          positions: [] as (Position | undefined)[],
        };
        ledger.push(entry);
        for (let revision = -1; !over;) {
          const events = newEvents(1 + (n % 3));
          const { response, attempts } = await appendAnyhow(
            n % 2 === 0 ? log : other,
            entry.stream,
            events,
            revision < 0 ? 'no stream' : revision,
          );
          expect(response.revision).toBe(revision + events.length);
          if (attempts > 1) repeated += 1;
          revision = response.revision;
          entry.ids.push(...events.map(({ id }) => id));
          entry.positions.push(response.position);
        }
      });
      while (ledger.some(({ ids }) => ids.length < 10)) await sleep(5);

      await injectFault();
      await sleep(200);
      over = true;
      await Promise.all(writers);

      const last = newEvent('the end');
      await log.append(newStream(), [last], 'no stream');
      await processor.until(last.id);
      expect(repeated).toBeGreaterThan(0);
      for (const { stream, ids, positions } of ledger) {
        const there = await eventsOf(log.readStream(stream));
        expect(there.map(({ id }) => id)).toEqual(ids);
        expect(positions).toEqual(
          positions.map((position) => there.find((event) => event.position === position)?.position),
        );
      }
      const all = idsOf(await batchesOf(log.readAll({ after: head })));
      expect(new Set(all).size).toBe(ledger.reduce((sum, { ids }) => sum + ids.length, 1));
      expect(processor.handled).toEqual(all);
    });
  },
);

describe('an unavailable server', () => {
  it('fails every call and subscription immediately, and everything recovers by itself', async () => {
    const log = await open();
    const stream = newStream();
    await log.append(stream, newEvents(1), 'no stream');
    const { position } = await log.append(stream, newEvents(1), 0);
    const subscription = faultOf(
      batchesOf(log.subscribe({ after: position, signal: new AbortController().signal })),
    );
    await sleep(50);
    await server.kill();

    expect(await subscription).toEqual({ kind: 'unavailable' });
    expect(await faultOf(log.head())).toEqual({ kind: 'unavailable' });
    expect(await faultOf(log.append(stream, newEvents(1), 1))).toEqual({ kind: 'unavailable' });
    expect(await faultOf(eventsOf(log.readStream(stream)))).toEqual({ kind: 'unavailable' });
    expect(await faultOf(log.eventAt(present(position)))).toEqual({ kind: 'unavailable' });
    expect(await faultOf(batchesOf(log.readAll()))).toEqual({ kind: 'unavailable' });

    await server.start();
    expect((await appendAnyhow(log, stream, newEvents(1), 1)).response.revision).toBe(2);
    expect(comparePositions(present(await log.head()), present(position))).toBeGreaterThan(0);
  });

  it('at startup is reported as unavailable until it is reachable', async () => {
    await server.kill();
    for (let attempts = 0; attempts < 3; attempts += 1)
      expect(await faultOf(open())).toEqual({ kind: 'unavailable' });
    await server.start();
    expect((await (await open()).append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it('that is suspended leaves the outcome unknown, and the repeated append finds it', async () => {
    const log = await open();
    const [stream, events] = [newStream(), newEvents(2)];
    server.pause();
    expect(await faultOf(log.append(stream, events, 'no stream'))).toEqual({
      kind: 'unknown_outcome',
    });
    expect(await faultOf(eventsOf(log.readStream(stream)))).toEqual({ kind: 'unavailable' });
    server.resume();
    const { response } = await appendAnyhow(log, stream, events, 'no stream');
    expect(response.revision).toBe(1);
    expect((await eventsOf(log.readStream(stream))).map(({ id }) => id)).toEqual(
      events.map(({ id }) => id),
    );
  });
});
