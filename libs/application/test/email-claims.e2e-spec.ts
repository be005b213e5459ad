import { newId, streams, type AffiliateId } from '@refledger/contracts';
import { affiliateRecord, firstAccountId, programDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { eventsOf, raceAtEveryStep, settled, SteppedLog } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';
import { Affiliates, program_id } from './affiliates.js';

describe.each([
  ['one event, in a program that its first affiliate creates', 1, false],
  ['two events, in a program with automatic approval', 2, true],
])('email claims of %s, with a writer paused at every append', (_, count, isAutomatic) => {
  let log: EventLog;
  let affiliates: Affiliates;
  beforeEach(async () => {
    log = newSimulatedLog();
    affiliates = new Affiliates(log);
    await affiliates.createAccount();
    if (isAutomatic)
      await new CommandHandler(log).run({
        stream: streams.program(firstAccountId, program_id),
        decider: programDecider,
        context: newContext({ accountId: firstAccountId, actor: 'test', requestId: 'r' }),
        command: {
          type: 'create',
          program_id,
          program: { name: 'Spring', affiliate_approval: 'automatic' },
          isIdChosen: true,
        },
      });
  });
  afterEach(() => log.close());

  const create = (on: EventLog, id: AffiliateId, email: string) =>
    affiliates.create(id, email, { on });
  const setEmail = (on: EventLog, id: AffiliateId, email: string) =>
    affiliates.update(id, { email }, on);
  const load = (id: AffiliateId) => affiliates.load(id);
  const emailOf = async (id: AffiliateId) => (await affiliates.shown(id))?.email;
  /** Checks that an affiliate, if it exists, was created by one append, which was made once. */
  const expectWhole = async (id: AffiliateId): Promise<void> => {
    const events = await eventsOf(log.readStream(streams.affiliate(id)));
    if (events.length > 0)
      expect(events.slice(0, count).map(({ type }) => type)).toEqual(
        ['affiliate.created', 'affiliate.approved'].slice(0, count),
      );
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect(events.slice(count).filter(({ type }) => type === 'affiliate.created')).toEqual([]);
  };

  type Pair = readonly [AffiliateId, AffiliateId];
  const pair = (): Pair => [newId('affiliate'), newId('affiliate')];

  /** Races two writers of emails, and checks after each race who has them. */
  const race = (
    setUp: () => Promise<Pair>,
    paused: (on: EventLog, ids: Pair) => Promise<unknown>,
    rival: (ids: Pair) => Promise<unknown>,
    holders: (ids: Pair) => Promise<void>,
  ): Promise<number> =>
    raceAtEveryStep(log, {
      setUp,
      paused,
      rival,
      check: async (ids) => {
        await holders(ids);
        for (const id of ids) await expectWhole(id);
      },
    });

  const exactlyOneHas =
    (email: string) =>
    async (ids: Pair): Promise<void> => {
      const held = (await Promise.all(ids.map(emailOf))).filter(
        (found) => found?.toLowerCase() === email.toLowerCase(),
      );
      expect(held).toHaveLength(1);
    };
  let fresh = 0;

  it('of two creates with the same email, exactly one succeeds', async () => {
    let email = '';
    const pauses = await race(
      () => {
        email = `ada${fresh++}@example.com`;
        return Promise.resolve(pair());
      },
      (on, [a]) => create(on, a, email),
      ([, b]) => create(log, b, email.toUpperCase()),
      (ids) => exactlyOneHas(email)(ids),
    );
    expect(pauses).toBeGreaterThanOrEqual(3);
  });

  it('a rival completes the append of a claim whose writer was killed, and learns who owns it', async () => {
    const [a, b] = pair();
    const { log: stepped, steps } = SteppedLog.wrap(log);
    const killed = settled(create(stepped, a, 'ada@example.com'));
    if (!isAutomatic) await steps.step(killed); // registers the program
    await steps.step(killed); // takes the claim
    await expect(create(log, b, 'ada@example.com')).rejects.toMatchObject({
      code: 'affiliate_exists',
      extras: { affiliate_id: a },
    });
    expect(await emailOf(a)).toBe('ada@example.com');
    await expectWhole(a);
    while (await steps.step(killed));
    expect(await killed).toBe('done');
    await expectWhole(a);
  });

  it.each([
    ['has a different approval mode', { affiliate_approval: isAutomatic ? 'manual' : 'automatic' }],
    ['is archived', { status: 'archived' }],
  ] as const)(
    'a repeated create whose writer was killed returns what the claim holds, although its program now %s',
    async (_now, patch) => {
      const id = newId('affiliate');
      const { log: stepped, steps } = SteppedLog.wrap(log);
      const killed = settled(create(stepped, id, 'ada@example.com'));
      if (!isAutomatic) await steps.step(killed); // registers the program
      await steps.step(killed); // takes the claim
      await affiliates.changeProgram(patch);
      const { state, events, revision } = await create(log, id, 'ada@example.com');
      expect([affiliateRecord(state)?.status, events.length, revision]).toEqual([
        isAutomatic ? 'approved' : 'pending',
        0,
        count - 1,
      ]);
      await expectWhole(id);
      while (await steps.step(killed));
      expect(await killed).toBe('done');
      await expectWhole(id);
    },
  );

  it('a create in an archived program is refused, whether or not its email is claimed', async () => {
    const [a, b] = pair();
    await create(log, a, 'ada@example.com');
    await affiliates.changeProgram({ status: 'archived' });
    expect(await settled(create(log, b, 'ada@example.com'))).toBe('program_not_active');
    expect(await settled(create(log, b, 'bob@example.com'))).toBe('program_not_active');
    expect((await load(b)).revision).toBeUndefined();
  });

  it('of a change to an email and a rival claim, exactly one succeeds', async () => {
    let email = '';
    await race(
      async () => {
        email = `grace${fresh++}@example.com`;
        const ids = pair();
        for (const [index, id] of ids.entries()) await create(log, id, `before${index}-${email}`);
        return ids;
      },
      (on, [a]) => setEmail(on, a, email),
      ([, b]) => setEmail(log, b, email),
      (ids) => exactlyOneHas(email)(ids),
    );
  });

  it('an email that is released and claimed again while a rival wants it has one owner', async () => {
    let email = '';
    await race(
      async () => {
        email = `mary${fresh++}@example.com`;
        const ids = pair();
        await create(log, ids[0], email);
        await create(log, ids[1], `rival-${email}`);
        return ids;
      },
      async (on, [a]) => {
        await setEmail(on, a, `away-${email}`);
        await setEmail(on, a, email);
      },
      ([, b]) => setEmail(log, b, email),
      (ids) => exactlyOneHas(email)(ids),
    );
  });

  it('a delete frees the email, even while another affiliate claims it', async () => {
    let email = '';
    await race(
      async () => {
        email = `joan${fresh++}@example.com`;
        const id = newId('affiliate');
        await create(log, id, email);
        return [id, newId('affiliate')] as const;
      },
      (on, [a]) => affiliates.remove(a, on),
      ([, b]) => create(log, b, email),
      async ([a, b]) => {
        expect(await emailOf(a)).toBeUndefined();
        await settled(create(log, b, email));
        expect(await emailOf(b)).toBe(email);
      },
    );
  });

  it('an affiliate can change its email even if only the letter case differs', async () => {
    const id = newId('affiliate');
    await create(log, id, 'ada@example.com');
    await setEmail(log, id, 'Ada@Example.com');
    expect(await emailOf(id)).toBe('Ada@Example.com');
    await setEmail(log, id, 'Ada@Example.com');
    expect((await load(id)).revision).toBe(count);
  });
});
