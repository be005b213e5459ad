import { newId, streams, type AffiliateId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { eventsOf, raceAtEveryStep, settled, SteppedLog } from '@refledger/event-log/conformance';
import { KeyStoreError } from '@refledger/key-store';
import { newSimulatedLog } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import { Affiliates } from './affiliates.js';

let log: EventLog;
let affiliates: Affiliates;
beforeEach(async () => {
  log = newSimulatedLog();
  affiliates = new Affiliates(log);
  await affiliates.createAccount();
});
afterEach(() => log.close());

let emails = 0;
const newEmail = (): string => `ada${emails++}@example.com`;
const created = async (email = newEmail()): Promise<AffiliateId> => {
  const id = newId('affiliate');
  await affiliates.create(id, email);
  return id;
};
const eventsIn = (id: AffiliateId) => eventsOf(log.readStream(streams.affiliate(id)));
const typesIn = async (id: AffiliateId) => (await eventsIn(id)).map(({ type }) => type);
const keyOf = async (id: AffiliateId) => (await affiliates.keys.getMany([id])).get(id);

describe('erasing an affiliate', () => {
  it('deletes it in the same append, and destroys its key', async () => {
    const id = await created();
    const { erasure, position } = await affiliates.erase(id);
    expect(await typesIn(id)).toEqual([
      'affiliate.created',
      'affiliate.deleted',
      'affiliate.erased',
    ]);
    const last = present((await eventsIn(id)).at(-1));
    expect(erasure).toEqual({
      id,
      created_at: last.metadata.recorded_at,
      actor: 'test',
      finished_at: expect.any(String) as string,
    });
    expect(position).toBe(last.position);
    expect(await keyOf(id)).toMatchObject({ kind: 'erased', eventId: last.id, position });
    expect(affiliates.warnings).toEqual([]);
  });

  it('that was deleted needs no second deletion', async () => {
    const id = await created();
    await affiliates.remove(id);
    await affiliates.erase(id);
    expect(await typesIn(id)).toEqual([
      'affiliate.created',
      'affiliate.deleted',
      'affiliate.erased',
    ]);
  });

  it('again returns the same erasure and records nothing', async () => {
    const id = await created();
    const first = await affiliates.erase(id);
    expect(await affiliates.erase(id)).toEqual(first);
    expect(await eventsIn(id)).toHaveLength(3);
  });

  it('frees its email, but not its idempotency key', async () => {
    const email = newEmail();
    const id = await created(email);
    await affiliates.erase(id);
    await expect(affiliates.create(id, email)).rejects.toMatchObject({
      code: 'affiliate_erased',
      extras: { affiliate_id: id },
    });
    const other = await created(email);
    expect(await affiliates.shown(other)).toMatchObject({ email });
    expect(await keyOf(other)).toMatchObject({ kind: 'key' });
  });

  it('is refused while payouts have not ended: nothing changes, and ten are named', async () => {
    const id = await created();
    const open = Array.from({ length: 11 }, () => newId('payout'));
    await expect(affiliates.erase(id, { open })).rejects.toMatchObject({
      code: 'payouts_open',
      extras: { payouts: open.slice(0, 10) },
    });
    expect(await eventsIn(id)).toHaveLength(1);
    expect(await keyOf(id)).toMatchObject({ kind: 'key' });
    await affiliates.erase(id);
    // payouts that were made since do not matter
    expect((await affiliates.erase(id, { open })).erasure.finished_at).not.toBeNull();
  });

  it('needs no key: that is the way out when one is lost for good', async () => {
    const id = await created();
    const without = new Affiliates(log);
    expect((await without.erase(id)).erasure.finished_at).not.toBeNull();
    expect((await without.keys.getMany([id])).get(id)).toMatchObject({ kind: 'erased' });
  });

  it('whose key store fails is recorded all the same, and finished by the next attempt', async () => {
    const id = await created();
    const { keys } = affiliates;
    const failing = {
      getMany: keys.getMany.bind(keys),
      destroy: () => Promise.reject(new KeyStoreError('unavailable', 'gone')),
    };
    expect((await affiliates.erase(id, { keys: failing })).erasure.finished_at).toBeNull();
    expect(affiliates.warnings).toHaveLength(1);
    expect(await typesIn(id)).toContain('affiliate.erased');
    expect((await affiliates.erase(id)).erasure.finished_at).not.toBeNull();
  });

  it('is not undone by a log that was restored to before the affiliate existed', async () => {
    const id = newId('affiliate');
    await affiliates.keys.destroy(id, {
      accountId: firstAccountId,
      eventId: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
      position: present(await log.head()),
      erasedAt: '2026-01-01T00:00:00.000Z',
    });
    await expect(affiliates.create(id, newEmail())).rejects.toMatchObject({
      code: 'affiliate_erased',
    });
    expect(await eventsIn(id)).toEqual([]);
  });

  it('that never existed is refused, and leaves no row', async () => {
    const id = newId('affiliate');
    await expect(affiliates.erase(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await keyOf(id)).toBeUndefined();
  });
});

describe('erasing, with another writer paused at every append', () => {
  /** Erased in the log and in the key store, or in neither; and nothing follows an erasure. */
  const expectAgreement = async (...ids: readonly AffiliateId[]): Promise<void> => {
    for (const id of ids) {
      const types = await typesIn(id);
      const at = types.indexOf('affiliate.erased');
      expect((await keyOf(id))?.kind === 'erased').toBe(at >= 0);
      if (at >= 0) expect(at).toBe(types.length - 1);
    }
  };

  it.each<[string, (on: EventLog, id: AffiliateId) => Promise<unknown>]>([
    ['a change', (on, id) => affiliates.update(id, { name: 'B' }, on)],
    ['a change of its email', (on, id) => affiliates.update(id, { email: newEmail() }, on)],
    ['a deletion', (on, id) => affiliates.remove(id, on)],
    ['another erasure', (on, id) => affiliates.erase(id, { on })],
  ])('of %s of it: it is erased, whatever became of the other', async (_, paused) => {
    const steps = await raceAtEveryStep(log, {
      setUp: () => created(),
      paused,
      rival: (id) => affiliates.erase(id),
      check: async (id) => {
        expect(await typesIn(id)).toContain('affiliate.erased');
        await expectAgreement(id);
      },
    });
    expect(steps).toBeGreaterThan(0);
  });

  it('of its creation: both sides agree, and a repeated creation makes no twin', async () => {
    const steps = await raceAtEveryStep(log, {
      setUp: () => Promise.resolve({ id: newId('affiliate'), email: newEmail() }),
      paused: (on, { id, email }) => affiliates.create(id, email, { on }),
      rival: ({ id }) => affiliates.erase(id),
      check: async ({ id, email }) => {
        await expectAgreement(id);
        const again = await settled(affiliates.create(id, email));
        const isErased = (await typesIn(id)).includes('affiliate.erased');
        expect(again).toBe(isErased ? 'affiliate_erased' : 'done');
        await expectAgreement(id);
      },
    });
    expect(steps).toBeGreaterThan(0);
  });

  it('of a creation with the same email: at most one affiliate has it', async () => {
    await raceAtEveryStep(log, {
      setUp: async () => {
        const email = newEmail();
        return { email, erased: await created(email), other: newId('affiliate') };
      },
      paused: (on, { erased }) => affiliates.erase(erased, { on }),
      rival: ({ email, other }) => affiliates.create(other, email),
      check: async ({ email, erased, other }) => {
        await expectAgreement(erased, other);
        expect(await affiliates.shown(erased)).toBeUndefined();
        await settled(affiliates.create(other, email));
        expect(await affiliates.shown(other)).toMatchObject({ email });
      },
    });
  });
});

describe('a claim whose gateway died before it appended the affiliate', () => {
  let id: AffiliateId;
  let email: string;
  beforeEach(async () => {
    await created();
    [id, email] = [newId('affiliate'), newEmail()];
    const { log: stepped, steps } = SteppedLog.wrap(log);
    const dying = settled(affiliates.create(id, email, { on: stepped }));
    // takes the claim, and stops before the next append for good
    expect(await steps.step(dying)).toBe(true);
    expect(await eventsIn(id)).toEqual([]);
    expect(await keyOf(id)).toMatchObject({ kind: 'key' });
  });

  it('is met a day later by another affiliate: the first exists then, and can be erased', async () => {
    const other = newId('affiliate');
    expect(await settled(affiliates.create(other, email))).toBe('affiliate_exists');
    expect(await affiliates.shown(id)).toMatchObject({ email });
    await affiliates.erase(id);
    expect(await settled(affiliates.create(other, email))).toBe('done');
    expect(await keyOf(id)).toMatchObject({ kind: 'erased' });
  });

  it('is met after the same Idempotency-Key has come with another email: it is void', async () => {
    const another = newEmail();
    expect(await settled(affiliates.create(id, another))).toBe('done');
    await affiliates.erase(id);
    expect(await settled(affiliates.create(id, email))).toBe('affiliate_erased');
    const other = await created(email);
    expect(await affiliates.shown(other)).toMatchObject({ email });
    expect(await typesIn(id)).toEqual([
      'affiliate.created',
      'affiliate.deleted',
      'affiliate.erased',
    ]);
  });

  it('is met after the log was restored, beside a key store that says it is erased: it is void', async () => {
    await affiliates.keys.destroy(id, {
      accountId: firstAccountId,
      eventId: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
      position: present(await log.head()),
      erasedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await settled(affiliates.create(id, email))).toBe('affiliate_erased');
    expect(await settled(affiliates.create(newId('affiliate'), email))).toBe('done');
    expect(await typesIn(id)).toEqual([]);
  });
});
