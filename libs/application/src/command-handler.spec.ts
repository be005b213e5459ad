import {
  newId,
  noCommission,
  streams,
  type ConversionFields,
  type EventInputOf,
} from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import { newContext } from './command-context.js';
import { CommandHandler } from './command-handler.js';
import { EventLogError, type EventLog } from '@refledger/event-log';
import { newSimulatedLog } from '@refledger/simulation';

const fields: ConversionFields = {
  status: 'pending',
  sale_amount: 1,
  refunded_amount: 0,
  commission_amount: 0,
  commission: noCommission,
  reason: null,
  metadata: {},
  payout_id: null,
};
const about = {
  conversion_id: newId('conversion'),
  affiliate_id: newId('affiliate'),
  program_id: 'prog_a',
  sale_currency: 'USD',
  occurred_at: '2026-01-31T09:30:00.000Z',
  payable_on: '2026-01-31',
  external_transaction_id: null,
} as const;
const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };

/** Adds 1 to a sale's amount, so that a missed conflict shows in the sum. */
const counter: Decider<'add', number, EventInputOf<'conversion'>> = {
  initial: 0,
  decide: (_command, count) => [
    {
      type: 'conversion.created',
      data: { ...about, basis, after: { ...fields, sale_amount: count + 1 } },
    },
  ],
  evolve: (_count, event) => event.data.after.sale_amount,
};
const nothing: Decider<'add', number, EventInputOf<'conversion'>> = {
  ...counter,
  decide: () => [],
};

describe('CommandHandler', () => {
  let log: EventLog;
  beforeEach(() => (log = newSimulatedLog()));
  afterEach(() => log.close());

  const stream = streams.conversion(about.conversion_id);
  const context = () => newContext({ accountId: null, actor: 'test', requestId: 'r' });
  const add = (handler: CommandHandler) =>
    handler.run({ stream, decider: counter, command: 'add', context: context() });
  const withAppend = (append: EventLog['append']): EventLog =>
    Object.assign(Object.create(log) as EventLog, { append });

  it('appends at the revision that it decided from and returns the new state', async () => {
    const handler = new CommandHandler(log);
    const [first, second] = [await add(handler), await add(handler)];
    expect([first.state, first.revision, second.state, second.revision]).toEqual([1, 0, 2, 1]);
    expect(await handler.load(counter, stream)).toMatchObject({
      state: 2,
      revision: 1,
      position: second.position,
    });
  });

  it('returns the last position when there is nothing to do', async () => {
    const { position } = await add(new CommandHandler(log));
    expect(
      await new CommandHandler(log).run({
        stream,
        decider: nothing,
        command: 'add',
        context: context(),
      }),
    ).toMatchObject({ events: [], revision: 0, position });
  });

  it('does not lose any concurrent command, even from several gateways', async () => {
    const gateways = [new CommandHandler(log), new CommandHandler(log)];
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(present(gateways[index % 2]))));
    expect((await present(gateways[0]).load(counter, stream)).state).toBe(40);
  });

  it('lets no concurrent commands of one gateway conflict on a stream', async () => {
    const gateway = new CommandHandler(log, { maxAttempts: 1 });
    await Promise.all(Array.from({ length: 40 }, () => add(gateway)));
    expect((await gateway.load(counter, stream)).state).toBe(40);
  });

  it('repeats the identical append after an unknown outcome, written or not, until it is definite', async () => {
    for (const wasWritten of [true, false]) {
      const ids: string[] = [];
      let responses = 0;
      const before = (await new CommandHandler(log).load(counter, stream)).state;
      const flaky = withAppend(async (name, events, expected) => {
        ids.push(present(events[0]).id);
        const lost = responses++ < 2;
        if (!lost || wasWritten) await log.append(name, events, expected);
        if (lost) throw new EventLogError({ kind: 'unknown_outcome' }, 'cut');
        return log.append(name, events, expected);
      });
      expect((await add(new CommandHandler(flaky))).state).toBe(before + 1);
      expect(new Set(ids).size).toBe(1);
      expect((await new CommandHandler(log).load(counter, stream)).state).toBe(before + 1);
    }
  });

  it('does not treat an unavailable log as the answer to an append with an unknown outcome', async () => {
    let call = 0;
    const flaky = withAppend((name, events, expected) => {
      const fault = (['unknown_outcome', 'unavailable'] as const)[call++];
      return fault === undefined
        ? log.append(name, events, expected)
        : Promise.reject(new EventLogError({ kind: fault }, fault));
    });
    expect((await add(new CommandHandler(flaky))).revision).toBe(0);
    expect(call).toBe(3);
  });

  it('fails immediately when the log is unavailable, and after its timeout when outcomes stay unknown', async () => {
    const away = withAppend(() =>
      Promise.reject(new EventLogError({ kind: 'unavailable' }, 'away')),
    );
    await expect(add(new CommandHandler(away))).rejects.toMatchObject({
      fault: { kind: 'unavailable' },
    });
    const silent = withAppend(() =>
      Promise.reject(new EventLogError({ kind: 'unknown_outcome' }, 'cut')),
    );
    await expect(add(new CommandHandler(silent, { timeoutMs: 1 }))).rejects.toMatchObject({
      fault: { kind: 'unknown_outcome' },
    });
  });

  it('still reports an unknown outcome if the log then becomes unavailable', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    let call = 0;
    const lost = withAppend(() => {
      // the timeout is over after the second call, however slow the machine is
      if (++call === 2) now.mockReturnValue(300);
      return Promise.reject(
        call === 1
          ? new EventLogError({ kind: 'unknown_outcome' }, 'cut')
          : new EventLogError({ kind: 'unavailable' }, 'away'),
      );
    });
    await expect(
      add(new CommandHandler(lost, { timeoutMs: 200 })).finally(() => now.mockRestore()),
    ).rejects.toMatchObject({
      fault: { kind: 'unknown_outcome' },
      message: 'cut',
      cause: { fault: { kind: 'unavailable' } },
    });
    expect(call).toBe(2);
  });

  it('never lets the recorded time of a stream go backward', async () => {
    const addAt = (now: number) => add(new CommandHandler(log, { now: () => now }));
    const outcomes = [
      await addAt(2_000),
      await addAt(1_000),
      await addAt(1_500),
      await addAt(3_000),
    ];
    const recorded = [];
    for await (const batch of log.readStream(stream))
      recorded.push(...batch.map(({ metadata }) => [metadata.recorded_at, metadata.time_kept]));
    const [second, third] = ['1970-01-01T00:00:02.000Z', '1970-01-01T00:00:03.000Z'];
    expect(recorded).toEqual([
      [second, undefined],
      [second, true],
      [second, true],
      [third, undefined],
    ]);
    expect(outcomes.map(({ recordedAt }) => recordedAt)).toEqual([second, second, second, third]);
  });

  it('tells a command the instant at which its events will be recorded', async () => {
    let now = 2_000;
    const handler = new CommandHandler(log, { now: () => now++ });
    const told: string[] = [];
    const recorded: (string | undefined)[] = [];
    for (const isLikelyNew of [true, false]) {
      const command = (_count: number, recordedAt: string) => {
        told.push(recordedAt);
        return 'add' as const;
      };
      const run = { stream, decider: counter, context: context(), isLikelyNew, command };
      recorded.push((await handler.run(run)).recordedAt);
    }
    expect(told).toEqual(recorded);
  });

  it('decides again after a conflict with new event ids, a limited number of times', async () => {
    const ids = new Set<string>();
    const contended = withAppend((name, events, expected) => {
      events.forEach(({ id }) => ids.add(id));
      return Promise.reject(
        new EventLogError(
          { kind: 'wrong_revision', stream: name, expected, actual: 7 },
          'conflict',
        ),
      );
    });
    await expect(add(new CommandHandler(contended, { maxAttempts: 3 }))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(ids.size).toBe(3);
  });

  describe('for a stream that is likely new', () => {
    const create = (
      handler: CommandHandler,
      { decider = counter, ...more }: { decider?: typeof counter; precondition?: () => void } = {},
    ) =>
      handler.run({
        stream,
        decider,
        command: 'add',
        context: context(),
        isLikelyNew: true,
        ...more,
      });
    const onlyOnEmpty = (event: number): typeof counter => ({
      ...counter,
      decide: (command, count) => (count === 0 ? counter.decide(command, event - 1) : []),
    });
    let reads: number;
    const counted = (appends: Partial<Pick<EventLog, 'append'>> = {}): EventLog =>
      Object.assign(Object.create(log) as EventLog, {
        readStream: (...parameters: Parameters<EventLog['readStream']>) => (
          (reads += 1),
          log.readStream(...parameters)
        ),
        ...appends,
      });
    beforeEach(() => (reads = 0));

    it('creates it without reading it', async () => {
      expect(await create(new CommandHandler(counted()))).toMatchObject({
        state: 1,
        revision: 0,
        events: [{ type: 'conversion.created' }],
      });
      expect(reads).toBe(0);
    });

    it('decides on the existing state if it is not new', async () => {
      await create(new CommandHandler(log));
      expect(await create(new CommandHandler(counted()))).toMatchObject({ state: 2, revision: 1 });
      expect(
        await create(new CommandHandler(counted()), { decider: onlyOnEmpty(9) }),
      ).toMatchObject({ state: 2, events: [], revision: 1 });
    });

    it('checks whether it exists before it rejects a command', async () => {
      const refusing = (whenNothing: Error): typeof counter => ({
        ...counter,
        decide: (command, count) => {
          if (count === 0) throw whenNothing;
          return counter.decide(command, count);
        },
      });
      await expect(
        create(new CommandHandler(log), { decider: refusing(new Error('suspended')) }),
      ).rejects.toThrow('suspended');
      await create(new CommandHandler(log));
      expect(
        await create(new CommandHandler(log), { decider: refusing(new Error('suspended')) }),
      ).toMatchObject({ state: 2 });
      const full = counted({
        append: () => Promise.reject(new EventLogError({ kind: 'unavailable' }, 'full')),
      });
      expect(await create(new CommandHandler(full), { decider: onlyOnEmpty(1) })).toMatchObject({
        state: 2,
        events: [],
      });
    });

    it('fails with the last error of the log, caused by the first', async () => {
      const [full, away] = [
        new EventLogError({ kind: 'unavailable' }, 'the disk is full'),
        new EventLogError({ kind: 'unavailable' }, 'away'),
      ];
      const failing = Object.assign(counted({ append: () => Promise.reject(full) }), {
        readStream: () => {
          throw away;
        },
      });
      await expect(create(new CommandHandler(failing))).rejects.toMatchObject({
        message: 'away',
        cause: full,
      });
    });

    it('creates it once for concurrent commands, and the others find it', async () => {
      const gateways = [new CommandHandler(log), new CommandHandler(log), new CommandHandler(log)];
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          create(present(gateways[index % 3]), { decider: onlyOnEmpty(1) }),
        ),
      );
      expect(outcomes.filter(({ events }) => events.length > 0)).toHaveLength(1);
      expect(new Set(outcomes.map(({ position }) => position)).size).toBe(1);
    });

    it('uses new event ids for each attempt', async () => {
      const ids: string[] = [];
      const contended = counted({
        append: (name, events, expected) => {
          ids.push(present(events[0]).id);
          return Promise.reject(
            new EventLogError(
              { kind: 'wrong_revision', stream: name, expected, actual: 7 },
              'conflict',
            ),
          );
        },
      });
      await expect(create(new CommandHandler(contended, { maxAttempts: 2 }))).rejects.toMatchObject(
        {
          code: 'unavailable',
        },
      );
      expect(new Set(ids).size).toBe(3);
    });

    it('repeats an append with an unknown outcome', async () => {
      const silent = counted({
        append: () => Promise.reject(new EventLogError({ kind: 'unknown_outcome' }, 'cut')),
      });
      await expect(create(new CommandHandler(silent, { timeoutMs: 1 }))).rejects.toMatchObject({
        fault: { kind: 'unknown_outcome' },
      });
      expect(reads).toBe(0);
    });
  });

  it('caches the state of a stream until it changes', async () => {
    let reads = 0;
    const handler = new CommandHandler(
      Object.assign(Object.create(log) as EventLog, {
        readStream: (...parameters: Parameters<EventLog['readStream']>) => (
          (reads += 1),
          log.readStream(...parameters)
        ),
      }),
    );
    await add(new CommandHandler(log));
    for (let n = 0; n < 3; n += 1) expect((await handler.load(counter, stream)).state).toBe(1);
    expect(reads).toBe(1);
    await add(new CommandHandler(log));
    for (let n = 0; n < 3; n += 1) expect((await handler.load(counter, stream)).state).toBe(2);
    expect(reads).toBe(2);
    expect((await handler.load(nothing, stream)).state).toBe(2);
    expect(reads).toBe(3);
  });

  it('checks the precondition before it decides', async () => {
    const handler = new CommandHandler(log);
    const refused = handler.run({
      stream,
      decider: counter,
      command: 'add',
      context: context(),
      precondition: () => {
        throw new Error('stale');
      },
    });
    await expect(refused).rejects.toThrow('stale');
    expect((await handler.load(counter, stream)).revision).toBeUndefined();
  });
});
