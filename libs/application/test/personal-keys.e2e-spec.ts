import {
  newId,
  streams,
  type AffiliateId,
  type EmailClaimEvent,
  type StreamName,
} from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { eventsOf, raceAtEveryStep, settled, SteppedLog } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import { Affiliates } from './affiliates.js';

let log: EventLog;
let affiliates: Affiliates;
beforeEach(() => {
  log = newSimulatedLog();
  affiliates = new Affiliates(log);
});
afterEach(() => log.close());

const email = 'ada@example.com';
const eventsIn = (stream: StreamName): Promise<LoggedEvent[]> => eventsOf(log.readStream(stream));
/** The key of an affiliate, and the claims that it was made for. */
const keyOf = async (id: AffiliateId) =>
  (await affiliates.keyRows()).find(({ owner }) => owner === id);
/** The one claim that the key of an affiliate was made for. */
const claimOf = async (id: AffiliateId): Promise<StreamName> => {
  const { claims } = present(await keyOf(id));
  expect(claims).toHaveLength(1);
  return present(claims[0]) as StreamName;
};

describe('the keys of an account', () => {
  it('are durable before it exists', async () => {
    const { log: stepped, steps } = SteppedLog.wrap(log);
    const creating = settled(affiliates.createAccount(stepped));
    expect(await steps.arrived(creating)).toBe(true);
    expect(await affiliates.keyRows()).toMatchObject([{ owner: firstAccountId, claims: [] }]);
    while (await steps.step(creating));
    expect(await creating).toBe('done');
  });

  it('are not made for an account that exists, since nothing would be found by new ones', async () => {
    await affiliates.createAccount();
    const without = new Affiliates(log);
    await without.createAccount();
    expect(await without.keyRows()).toEqual([]);
    await expect(without.create(newId('affiliate'), email)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('the key of an affiliate', () => {
  beforeEach(() => affiliates.createAccount());

  it('is durable before its claim, and the claim before its events', async () => {
    // registers the program
    await affiliates.create(newId('affiliate'), email);
    const id = newId('affiliate');
    /** What a crash now would leave behind. */
    const recorded = async (): Promise<string> => {
      const key = await keyOf(id);
      const claims = key === undefined ? [] : await eventsIn(await claimOf(id));
      const events = await eventsIn(streams.affiliate(id));
      return [...(key === undefined ? [] : ['key']), ...claims, ...events]
        .map((found) => (typeof found === 'string' ? found : found.type))
        .join(', ');
    };
    const { log: stepped, steps } = SteppedLog.wrap(log);
    const creating = settled(affiliates.create(id, 'grace@example.com', { on: stepped }));
    const seen = [];
    while (await steps.arrived(creating)) {
      seen.push(await recorded());
      await steps.step(creating);
    }
    expect(await creating).toBe('done');
    expect([...seen, await recorded()]).toEqual([
      'key',
      'key, claim.taken',
      'key, claim.taken, affiliate.created',
    ]);
  });

  it('opens what either of two repeated requests at the same time recorded', async () => {
    let n = 0;
    await raceAtEveryStep(log, {
      setUp: () => Promise.resolve({ id: newId('affiliate'), address: `bob${n++}@example.com` }),
      paused: (on, { id, address }) => affiliates.create(id, address, { on }),
      rival: ({ id, address }) => affiliates.create(id, address),
      check: async ({ id, address }) => {
        expect(await affiliates.shown(id)).toMatchObject({ email: address, revision: 0 });
        expect(await eventsIn(streams.affiliate(id))).toHaveLength(1);
      },
    });
  });

  it('is not made for a creation that is refused', async () => {
    await affiliates.create(newId('affiliate'), email);
    const rows = await affiliates.keyRows();
    const refused = async (address: string, sent: Parameters<Affiliates['create']>[2] = {}) => {
      const code = await settled(affiliates.create(newId('affiliate'), address, sent));
      expect(await affiliates.keyRows()).toEqual(rows);
      return code;
    };
    expect(await refused('ADA@example.com')).toBe('affiliate_exists');
    expect(await refused('b@x.io', { program_id: 'prog_other', programAutoRegister: false })).toBe(
      'program_not_found',
    );
    await affiliates.changeProgram({ status: 'archived' });
    expect(await refused('c@x.io')).toBe('program_not_active');
    expect(await refused(email)).toBe('program_not_active');
  });

  it('is not made again by a repeated or a refused request, or by a change', async () => {
    const id = newId('affiliate');
    await affiliates.create(id, email);
    const rows = await affiliates.keyRows();
    await affiliates.create(id, email);
    expect(await settled(affiliates.create(id, email, { name: 'Bob' }))).toBe(
      'idempotency_key_reused',
    );
    await affiliates.update(id, { email: 'new@example.com', name: 'Bob' });
    expect(await affiliates.keyRows()).toEqual(rows);
    expect(await affiliates.shown(id)).toMatchObject({ email: 'new@example.com', name: 'Bob' });
  });

  it('is missed by a change and a repeated request, and not by a deletion', async () => {
    const id = newId('affiliate');
    await affiliates.create(id, email);
    const lost = new Affiliates(log);
    expect(await settled(lost.update(id, { name: 'Bob' }))).toBe('unavailable');
    expect(await settled(lost.create(id, email))).toBe('unavailable');
    expect(await settled(lost.remove(id))).toBe('done');
    expect(await affiliates.shown(id)).toBeUndefined();
  });
});

describe('what is recorded of an affiliate', () => {
  const values = {
    email: 'Secret.Mail@example.com',
    external_id: 'secret-external',
    name: 'Secret Name',
    metadata: { 'secret-key': 'secret-value' },
  };
  const later = {
    email: 'later.secret@example.com',
    payout_email: 'secret.payout@example.com',
    payout_hold: true,
    payout_hold_reason: 'secret hold',
    status: 'approved',
    reason: 'secret reason',
  } as const;

  it('has no plain value, in any stream or any name of one, claims included', async () => {
    await affiliates.createAccount();
    const id = newId('affiliate');
    await affiliates.create(id, values.email, values);
    const claim = await claimOf(id);
    await affiliates.update(id, later);
    await affiliates.remove(id);
    expect(await affiliates.create(newId('affiliate'), values.email, values)).toBeDefined();

    const all: LoggedEvent[] = [];
    for await (const { events } of log.readAll({})) all.push(...events);
    const claims = all.filter(({ type }) => type === 'claim.taken');
    expect(claims).toHaveLength(3);
    expect(claims[0]?.stream).toBe(claim);
    expect((claims[0]?.data as EmailClaimEvent['data']).append.events).toMatchObject([
      { data: { sealed: expect.stringMatching(/^v1\./) as string } },
    ]);
    const recorded = JSON.stringify([all, await affiliates.keyRows()]);
    expect(recorded).toContain(id);
    for (const secret of ['secret', 'Secret', 'example.com'])
      expect(recorded).not.toContain(secret);
  });
});
