import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams, type ConversionEvent, type ConversionFields } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { CommandHandler, newContext } from './command-handler.js';
import type { EventLog } from './event-log.js';
import { EventLogError } from './event-log-error.js';
import { openSqliteEventLog } from './sqlite/index.js';

const fields: ConversionFields = {
  status: 'pending',
  sale_amount: 1,
  commission_amount: 0,
  reason: null,
  metadata: {},
};
const about = {
  conversion_id: newId('conversion'),
  affiliate_id: newId('affiliate'),
  program_id: 'prog_a',
  sale_currency: 'USD',
  external_transaction_id: null,
} as const;

/** Adds 1 to a sale's amount, so that a missed conflict shows in the sum. */
const counter: Decider<'add', number, ConversionEvent> = {
  initial: 0,
  decide: (_command, count) => [
    {
      type: 'conversion.created',
      data: { ...about, after: { ...fields, sale_amount: count + 1 } },
    },
  ],
  evolve: (_count, event) => event.data.after.sale_amount,
};
const nothing: Decider<'add', number, ConversionEvent> = { ...counter, decide: () => [] };

describe('CommandHandler', () => {
  let folder: string;
  let log: EventLog;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'refledger-runner-'));
    log = await openSqliteEventLog({ file: join(folder, 'events.db'), mode: 'write' });
  });
  afterEach(async () => {
    await log.close();
    rmSync(folder, { recursive: true });
  });

  const stream = streams.conversion(about.conversion_id);
  const context = () => newContext({ accountId: null, actor: 'test', requestId: 'r' });
  const add = (runner: CommandHandler) =>
    runner.run({ stream, decider: counter, command: 'add', context: context() });
  const withAppend = (append: EventLog['append']): EventLog =>
    Object.assign(Object.create(log) as EventLog, { append });

  it('appends at the revision that it decided on and answers the state after it', async () => {
    const runner = new CommandHandler(log);
    const [first, second] = [await add(runner), await add(runner)];
    expect([first.state, first.revision, second.state, second.revision]).toEqual([1, 0, 2, 1]);
    expect(await runner.load(counter, stream)).toMatchObject({
      state: 2,
      revision: 1,
      position: second.position,
    });
  });

  it('answers the last position when there is nothing to do', async () => {
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

  it('loses no command among many at once, also from several gateways', async () => {
    const gateways = [new CommandHandler(log), new CommandHandler(log)];
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(gateways[index % 2]!)));
    expect((await gateways[0]!.load(counter, stream)).state).toBe(40);
  });

  it('repeats the identical append after an unknown outcome, written or not, until it is definite', async () => {
    for (const wasWritten of [true, false]) {
      const ids: string[] = [];
      let answers = 0;
      const before = (await new CommandHandler(log).load(counter, stream)).state;
      const flaky = withAppend(async (name, events, expected) => {
        ids.push(events[0]!.id);
        const lost = answers++ < 2;
        if (!lost || wasWritten) await log.append(name, events, expected);
        if (lost) throw new EventLogError({ kind: 'unknown_outcome' }, 'cut');
        return log.append(name, events, expected);
      });
      expect((await add(new CommandHandler(flaky))).state).toBe(before + 1);
      expect(new Set(ids).size).toBe(1);
      expect((await new CommandHandler(log).load(counter, stream)).state).toBe(before + 1);
    }
  });

  it('does not take an unavailable log for the answer to an append of unknown outcome', async () => {
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

  it('gives up on a log that is away at once, and on one that never answers definitely after its patience', async () => {
    const away = withAppend(() =>
      Promise.reject(new EventLogError({ kind: 'unavailable' }, 'away')),
    );
    await expect(add(new CommandHandler(away))).rejects.toMatchObject({
      fault: { kind: 'unavailable' },
    });
    const silent = withAppend(() =>
      Promise.reject(new EventLogError({ kind: 'unknown_outcome' }, 'cut')),
    );
    await expect(add(new CommandHandler(silent, { patienceMs: 1 }))).rejects.toMatchObject({
      fault: { kind: 'unknown_outcome' },
    });
  });

  it('keeps that the outcome is unknown when the log is away in the end', async () => {
    let call = 0;
    const lost = withAppend(() =>
      Promise.reject(
        new EventLogError(
          { kind: call++ === 0 ? 'unknown_outcome' : 'unavailable' },
          call === 1 ? 'cut' : 'away',
        ),
      ),
    );
    const patience = { patienceMs: 100 };
    await expect(add(new CommandHandler(lost, patience))).rejects.toMatchObject({
      fault: { kind: 'unknown_outcome' },
      message: 'cut',
      cause: { fault: { kind: 'unavailable' } },
    });
    expect(call).toBeGreaterThan(1);
  });

  it('never lets the recorded time of a stream go back', async () => {
    const at = (now: number) => add(new CommandHandler(log, { now: () => now }));
    const outcomes = [await at(2_000), await at(1_000), await at(1_500), await at(3_000)];
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

  it('decides again after a conflict with fresh event ids, a bounded number of times', async () => {
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
    await expect(add(new CommandHandler(contended, { tries: 3 }))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(ids.size).toBe(3);
  });

  describe('of a stream that is likely new', () => {
    const create = (
      runner: CommandHandler,
      { decider = counter, ...more }: { decider?: typeof counter; precondition?: () => void } = {},
    ) =>
      runner.run({
        stream,
        decider,
        command: 'add',
        context: context(),
        isLikelyNew: true,
        ...more,
      });
    const onlyOnNothing = (event: number): typeof counter => ({
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

    it('creates it without having read it', async () => {
      expect(await create(new CommandHandler(counted()))).toMatchObject({
        state: 1,
        revision: 0,
        events: [{ type: 'conversion.created' }],
      });
      expect(reads).toBe(0);
    });

    it('decides on what is there when it is not new', async () => {
      await create(new CommandHandler(log));
      expect(await create(new CommandHandler(counted()))).toMatchObject({ state: 2, revision: 1 });
      expect(
        await create(new CommandHandler(counted()), { decider: onlyOnNothing(9) }),
      ).toMatchObject({ state: 2, events: [], revision: 1 });
    });

    it('looks whether it is there before any refusal holds', async () => {
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
      expect(await create(new CommandHandler(full), { decider: onlyOnNothing(1) })).toMatchObject({
        state: 2,
        events: [],
      });
    });

    it('fails with what the log said first behind what it says at last', async () => {
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

    it('makes one of many at once, whose losers find it', async () => {
      const gateways = [new CommandHandler(log), new CommandHandler(log), new CommandHandler(log)];
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          create(gateways[index % 3]!, { decider: onlyOnNothing(1) }),
        ),
      );
      expect(outcomes.filter(({ events }) => events.length > 0)).toHaveLength(1);
      expect(new Set(outcomes.map(({ position }) => position)).size).toBe(1);
    });

    it('uses event ids of its own for each try', async () => {
      const ids: string[] = [];
      const contended = counted({
        append: (name, events, expected) => {
          ids.push(events[0]!.id);
          return Promise.reject(
            new EventLogError(
              { kind: 'wrong_revision', stream: name, expected, actual: 7 },
              'conflict',
            ),
          );
        },
      });
      await expect(create(new CommandHandler(contended, { tries: 2 }))).rejects.toMatchObject({
        code: 'unavailable',
      });
      expect(new Set(ids).size).toBe(3);
    });

    it('stays with an append of unknown outcome', async () => {
      const silent = counted({
        append: () => Promise.reject(new EventLogError({ kind: 'unknown_outcome' }, 'cut')),
      });
      await expect(create(new CommandHandler(silent, { patienceMs: 1 }))).rejects.toMatchObject({
        fault: { kind: 'unknown_outcome' },
      });
      expect(reads).toBe(0);
    });
  });

  it('remembers what a stream came to until it changes', async () => {
    let reads = 0;
    const runner = new CommandHandler(
      Object.assign(Object.create(log) as EventLog, {
        readStream: (...parameters: Parameters<EventLog['readStream']>) => (
          (reads += 1),
          log.readStream(...parameters)
        ),
      }),
    );
    await add(new CommandHandler(log));
    for (let n = 0; n < 3; n += 1) expect((await runner.load(counter, stream)).state).toBe(1);
    expect(reads).toBe(1);
    await add(new CommandHandler(log));
    for (let n = 0; n < 3; n += 1) expect((await runner.load(counter, stream)).state).toBe(2);
    expect(reads).toBe(2);
    expect((await runner.load(nothing, stream)).state).toBe(2);
    expect(reads).toBe(3);
  });

  it('refuses by what the precondition says, before it decides', async () => {
    const runner = new CommandHandler(log);
    const refused = runner.run({
      stream,
      decider: counter,
      command: 'add',
      context: context(),
      precondition: () => {
        throw new Error('stale');
      },
    });
    await expect(refused).rejects.toThrow('stale');
    expect((await runner.load(counter, stream)).revision).toBeUndefined();
  });
});
