import { setTimeout as sleep } from 'node:timers/promises';
import { patient } from '@refledger/testing';
import { startEventStoreDbToHarm, type TestServer } from '@refledger/testing/servers';
import {
  comparePositions,
  type ConversionEvent,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { CommandHandler, newContext } from '../command-handler.js';
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
import type { Appended, EventLog, Expected, NewEvent } from '../event-log.js';
import { follow } from '../event-processor/follow.js';
import { ProcessorProgress } from '../event-processor/processor-progress.js';
import { openEventStoreDbEventLog } from './index.js';

let server: TestServer;
const logs: EventLog[] = [];
beforeAll(async () => {
  server = await startEventStoreDbToHarm();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
});

/** Short, so that a suspended server is noticed soon. */
const deadlineMs = patient(1_000);
const open = async (): Promise<EventLog> => {
  const log = await openEventStoreDbEventLog({ url: server.url, deadlineMs });
  logs.push(log);
  return log;
};

/** The faults to inject. After each, the server serves again. */
const harm = {
  killed: async () => {
    await server.kill();
    await server.start();
  },
  restarted: () => server.restart(),
  'away for a while': async () => {
    await server.kill();
    await sleep(700);
    await server.start();
  },
  'held still past the deadline': async () => {
    server.pause();
    await sleep(1.5 * deadlineMs);
    server.resume();
  },
} as const;

/**
 * Repeats the identical append until the answer is definite, as a caller does that must know the
 * outcome. Also counts the attempts.
 */
const appendAnyhow = async (
  log: EventLog,
  stream: StreamName,
  events: readonly NewEvent[],
  expected: Expected,
): Promise<{ answer: Appended; tries: number }> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return { answer: await log.append(stream, events, expected), tries };
    } catch (error) {
      if (!isEventLogError(error, 'unavailable', 'unknown_outcome')) throw error;
      await sleep(30);
    }
  }
};

/** Follows the log with a processor and records the events that it handles, in their order. */
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
      begin: () => Promise.resolve(checkpoint),
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

describe.each(Object.entries(harm))('the server is %s while', (_name, injectFault) => {
  it('many append: each event is there once, in order, and a processor is given each once, in the order of the log', async () => {
    const [log, other] = [await open(), await open()];
    const head = await log.head();
    const processor = following(other, head);
    const ledger: { stream: StreamName; ids: string[]; positions: (Position | undefined)[] }[] = [];
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
        const { answer, tries } = await appendAnyhow(
          n % 2 === 0 ? log : other,
          entry.stream,
          events,
          revision < 0 ? 'no stream' : revision,
        );
        expect(answer.revision).toBe(revision + events.length);
        if (tries > 1) repeated += 1;
        revision = answer.revision;
        entry.ids.push(...events.map(({ id }) => id));
        entry.positions.push(answer.position);
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

  it('commands on one record run: each counts once', async () => {
    const [log, other] = [await open(), await open()];
    const runners = [
      new CommandHandler(log, { tries: 200 }),
      new CommandHandler(other, { tries: 200 }),
    ];
    const stream: StreamName = newStream('counter');
    const runs = Array.from({ length: 30 }, (_, n) => countOn(runners[n % 2]!, stream));
    await sleep(5);
    await injectFault();
    await Promise.all(runs);
    expect(
      (await eventsOf(log.readStream(stream))).map(
        ({ data }) => (data as { after: { sale_amount: number } }).after.sale_amount,
      ),
    ).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });
});

/** Counts one more. Repeats a command that ended without an outcome, as its client would. */
const countOn = async (runner: CommandHandler, stream: StreamName): Promise<void> => {
  for (const commandId = crypto.randomUUID(); ;) {
    try {
      await runner.run({
        stream,
        decider: counter,
        command: { by: commandId },
        context: newContext({ accountId: null, actor: 'tester', requestId: commandId }),
      });
      return;
    } catch (error) {
      if (!isEventLogError(error, 'unavailable', 'unknown_outcome')) throw error;
      await sleep(50);
    }
  }
};

/** A counter that remembers who has counted already, as an idempotency key would. */
const counter: Decider<
  { by: string },
  { readonly count: number; readonly by: readonly string[] },
  ConversionEvent
> = {
  initial: { count: 0, by: [] },
  decide: ({ by }, { count, by: before }) =>
    before.includes(by)
      ? []
      : [
          {
            type: 'conversion.created',
            data: {
              conversion_id: 'conv_a',
              affiliate_id: 'aff_a',
              program_id: 'prog_a',
              sale_currency: 'USD',
              external_transaction_id: by,
              after: {
                status: 'pending',
                sale_amount: count + 1,
                commission_amount: 0,
                reason: null,
                metadata: {},
              },
            },
          },
        ],
  evolve: ({ by }, event) => ({
    count: event.data.after.sale_amount,
    by: [
      ...by,
      event.type === 'conversion.created' ? (event.data.external_transaction_id ?? '') : '',
    ],
  }),
};

describe('a server that is away', () => {
  it('is unavailable to every call, at once, and to subscribers; all goes on by itself', async () => {
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
    expect(await faultOf(log.eventAt(position!))).toEqual({ kind: 'unavailable' });
    expect(await faultOf(batchesOf(log.readAll()))).toEqual({ kind: 'unavailable' });

    await server.start();
    expect((await appendAnyhow(log, stream, newEvents(1), 1)).answer.revision).toBe(2);
    expect(comparePositions((await log.head())!, position!)).toBeGreaterThan(0);
  });

  it('at the start is said to be away, every time, until it is there', async () => {
    await server.kill();
    for (let tries = 0; tries < 3; tries += 1)
      expect(await faultOf(open())).toEqual({ kind: 'unavailable' });
    await server.start();
    expect((await (await open()).append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it('held still is told from one that answers: the outcome is unknown, and the same append again finds it', async () => {
    const log = await open();
    const [stream, events] = [newStream(), newEvents(2)];
    server.pause();
    expect(await faultOf(log.append(stream, events, 'no stream'))).toEqual({
      kind: 'unknown_outcome',
    });
    expect(await faultOf(eventsOf(log.readStream(stream)))).toEqual({ kind: 'unavailable' });
    server.resume();
    const { answer } = await appendAnyhow(log, stream, events, 'no stream');
    expect(answer.revision).toBe(1);
    expect((await eventsOf(log.readStream(stream))).map(({ id }) => id)).toEqual(
      events.map(({ id }) => id),
    );
  });
});
