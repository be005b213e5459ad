import { randomUUID } from 'node:crypto';
import { logFormat, toPosition, type LogId, type Position } from '@refledger/contracts';
import { CallOutcomes } from '../availability.js';
import { unavailable } from '../event-log-error.js';
import type { EventLog, LogBatch, LoggedEvent, SubscribeOptions } from '../event-log.js';
import { backoffMs } from './backoff.js';
import { follow, PoisonEvent, type EventProcessor } from './follow.js';
import { ProcessorProgress, type ProcessorStatus } from './processor-progress.js';

const position = (n: number): Position => toPosition(String(n)) as Position;
const event = (
  n: number,
  type = 'log.opened',
  data: object = { log_id: 'l', format: logFormat },
): LoggedEvent => ({
  id: `event-${n}`,
  type,
  data,
  stream: 'refledger.x',
  revision: n,
  position: position(n),
  metadata: {
    account_id: null,
    actor: 'a',
    request_id: 'r',
    schema: 1,
    recorded_at: new Date(n * 1000).toISOString(),
  },
});

/**
 * An in-memory log with only the methods that a processor uses. Its subscriptions end with an error
 * when `breaks` says so.
 */
class MemoryLog implements Pick<EventLog, 'head' | 'subscribe' | 'readStream' | 'id'> {
  readonly id: LogId = randomUUID();
  readonly events = [event(1), event(2), event(3)];
  readonly decisions: LoggedEvent[] = [];
  breaks: Error[] = [];
  /** Ends the open subscription with an error. */
  fail: (error: Error) => void = () => undefined;
  readonly availability = new CallOutcomes(() => Promise.reject(unavailable('still away')));

  head = () => Promise.resolve(this.events.at(-1)?.position);

  async *subscribe({ after, signal }: SubscribeOptions): AsyncGenerator<LogBatch> {
    const start = this.events.findIndex(
      (logged) => after === undefined || Number(logged.position) > Number(after),
    );
    for (let n = start < 0 ? this.events.length : start; n < this.events.length; n++) {
      const logged = this.events[n] as LoggedEvent;
      yield { events: [logged], through: logged.position };
    }
    const error = this.breaks.pop();
    if (error !== undefined) throw error;
    if (!signal.aborted) {
      const failure = new Promise<never>((_, reject) => (this.fail = reject));
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.race([failure, ended]).catch((error: unknown) => {
        this.availability.failed('read', error);
        throw error;
      });
    }
  }

  async *readStream(_stream: string, { from = 0 } = {}): AsyncGenerator<readonly LoggedEvent[]> {
    await Promise.resolve();
    if (this.decisions.length > from) yield this.decisions.slice(from);
  }
}

interface Options {
  readonly poison?: string;
  readonly linger?: EventProcessor['linger'];
  /** Called after each event that is handled. */
  readonly onHandled?: (log: MemoryLog, status: ProcessorStatus) => void;
}

const given = (options: Options = {}) => {
  const log = new MemoryLog();
  const reported: string[] = [];
  const statuses: ProcessorStatus[] = [];
  const handled: string[] = [];
  let checkpoint: Position | undefined;
  let skipped: ReadonlySet<string> = new Set();
  const stop = new AbortController();
  let changed = (): void => undefined;
  const progress = new ProcessorProgress(
    (status) => {
      statuses.push(status);
      changed();
    },
    () => 10_000,
  );
  const processor: EventProcessor = {
    name: 'tester',
    log: log as unknown as EventLog,
    logger: {
      info: (_, message) => reported.push(message),
      warn: (_, message) => reported.push(message),
      error: (_, message) => reported.push(message),
    },
    progress,
    start: (decisions) => {
      skipped = decisions.skipped;
      return Promise.resolve(checkpoint);
    },
    handle: ({ events, through }) => {
      for (const logged of events) {
        if (skipped.has(logged.id)) continue;
        if (logged.id === options.poison)
          return Promise.reject(new PoisonEvent(logged, new Error('bad')));
        handled.push(logged.id);
        options.onHandled?.(log, progress.status());
      }
      checkpoint = through;
      return Promise.resolve();
    },
    ...(options.linger && { linger: options.linger }),
  };
  const becomes = async (state: ProcessorStatus['state']): Promise<void> => {
    while (progress.status().state !== state)
      await new Promise<void>((resolve) => (changed = resolve));
  };
  return {
    log,
    reported,
    statuses,
    handled,
    progress,
    becomes,
    stop,
    ended: follow(processor, stop.signal),
  };
};

it('continues from its checkpoint after any error, and logs it', async () => {
  const { log, reported, statuses, handled, becomes, stop, ended } = given();
  log.breaks = [new Error('away')];
  await becomes('retrying');
  await becomes('live');
  stop.abort();
  await ended;

  expect(handled).toEqual(['event-1', 'event-2', 'event-3']);
  expect(reported).toEqual([expect.stringContaining('retrying')]);
  expect(statuses.map(({ state, error }) => [state, error])).toEqual([
    ['live', undefined],
    ['retrying', 'away'],
    ['live', undefined],
  ]);
});

it('tries again as soon as another call finds that the log is back', async () => {
  const { log, reported, becomes, stop, ended } = given();
  await becomes('live');
  jest.useFakeTimers();
  try {
    // from here on no time passes, so only the other call can end the wait
    log.fail(unavailable('away'));
    await becomes('retrying');
    log.availability.succeeded('read');
    await becomes('live');
  } finally {
    jest.useRealTimers();
    log.availability.close();
  }
  expect(reported).toHaveLength(1);
  stop.abort();
  await ended;
});

it('stays live while new events come as fast as it handles them', async () => {
  const states: string[] = [];
  const { log, stop, ended } = given({
    onHandled: ({ events }, { state }) => {
      states.push(state);
      if (events.length < 100) events.push(event(events.length + 1));
      else stop.abort();
    },
  });
  await ended;
  expect(log.events).toHaveLength(100);
  expect(new Set(states.slice(0, 3))).toEqual(new Set(['catching_up']));
  expect(new Set(states.slice(3))).toEqual(new Set(['live']));
});

it('stops at a poison event and reports its lag, until there is a decision', async () => {
  const { log, reported, handled, progress, becomes, stop, ended } = given({ poison: 'event-2' });
  await becomes('stopped');
  expect(progress.status()).toMatchObject({
    position: '1',
    head: '3',
    lagSeconds: 8,
    error: expect.stringContaining('at position 2') as string,
  });

  log.decisions.push({
    ...event(4, 'processor.skipped', { processor: 'tester', event_id: 'event-2', position: '2' }),
    revision: 0,
  });
  await becomes('live');
  stop.abort();
  await ended;

  expect(handled).toEqual(['event-1', 'event-3']);
  expect(reported).toEqual([
    expect.stringContaining('ops skip tester 2'),
    expect.stringContaining('continues'),
  ]);
  expect(progress.status()).toEqual({ state: 'live', position: '3', head: '3', lagSeconds: 0 });
});

it('lingers after a batch for the requested time before it reads the next', async () => {
  const lingers: { readonly through: Position; readonly end: () => void }[] = [];
  let lingered = (): void => undefined;
  const lingersAgain = () => new Promise<void>((resolve) => (lingered = resolve));
  const first = lingersAgain();
  const { handled, progress, becomes, stop, ended } = given({
    linger: ({ through }) =>
      new Promise((end) => {
        lingers.push({ through, end });
        lingered();
      }),
  });
  await first;
  await new Promise(setImmediate);
  expect([handled, progress.status().position]).toEqual([['event-1'], '1']);

  for (const n of [0, 1]) {
    const next = lingersAgain();
    lingers[n]?.end();
    await next;
  }
  await becomes('live');
  expect([handled, lingers.map(({ through }) => through)]).toEqual([
    ['event-1', 'event-2', 'event-3'],
    ['1', '2', '3'],
  ]);
  lingers[2]?.end();
  stop.abort();
  await ended;
});

it('waits longer after each failure, up to ten seconds, of which jitter takes off at most half', () => {
  expect([1, 2, 3, 8, 1000].map((failures) => backoffMs(failures, 1))).toEqual([
    100, 200, 400, 10_000, 10_000,
  ]);
  expect(backoffMs(3, 0)).toBe(200);
});
