import { randomBytes } from 'node:crypto';
import { eventIdOf, newId, type AffiliateValues, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { KeyOwner, StoredKey } from '@refledger/key-store';
import { sealValues } from '@refledger/personal-data';
import { newWrappedKey, openKey, openSecretBox } from '@refledger/sealing';
import { eventJson, eventRow } from '../format/event-lines.js';
import { PersonalValues } from './personal-values.js';
import { viewEvent } from './view-event.js';

const id = newId('affiliate');
const box = openSecretBox([randomBytes(32)]);
const wrapped = newWrappedKey(box, id);
const before: AffiliateValues = {
  email: 'ada@example.com',
  external_id: null,
  name: 'Ada',
  payout_email: null,
  payout_hold_reason: null,
  reason: null,
  metadata: { tier: 'gold', sealed: 'yes' },
};
const after: AffiliateValues = { ...before, name: 'Ada King', metadata: { tier: 'silver' } };
const sealed = (values: AffiliateValues): string => sealValues(openKey(box, id, wrapped), values);

const eventAt = (revision: number, type: string, data: object): LoggedEvent => ({
  id: eventIdOf('00000000-0000-4000-8000-000000000000', 'stream', 0, revision),
  type,
  stream: `refledger.affiliate-${id}`,
  revision,
  position: String(revision) as Position,
  data: { affiliate_id: id, ...data },
  metadata: {
    account_id: 'acct_1',
    actor: 'key_1',
    request_id: 'r',
    schema: 1,
    recorded_at: '2026-01-01T00:00:00.000Z',
  },
});
const plain = { status: 'pending' };
const events = [
  eventAt(0, 'affiliate.created', { after: plain, sealed: sealed(before) }),
  eventAt(1, 'affiliate.updated', {
    before: plain,
    after: plain,
    sealed: sealed(after),
    changed: ['name', 'metadata'],
  }),
  eventAt(2, 'affiliate.deleted', { before: plain }),
] as const;
const [created, updated, deleted] = events;
const log = {
  async *readStream(_: string, { from = 0, to = from }: { from?: number; to?: number } = {}) {
    yield await Promise.resolve(events.slice(from, to + 1));
  },
};

const personalWith = (stored?: StoredKey): PersonalValues =>
  new PersonalValues(
    { getMany: () => Promise.resolve(new Map<KeyOwner, StoredKey>(stored ? [[id, stored]] : [])) },
    box,
  );
const rowOf = async (event: LoggedEvent, personal: PersonalValues): Promise<string> =>
  eventRow(event, undefined, await viewEvent(event, log, personal)).replace(/^.* key_1 +/, '');

it('shows all values of the first event, and of a later one those that it changed', async () => {
  const personal = personalWith({ kind: 'key', key: wrapped });
  expect(await rowOf(created, personal)).toBe(
    `affiliate_id ${id}, status pending, email ada@example.com, external_id none, name Ada, payout_email none, payout_hold_reason none, reason none, metadata.tier gold, metadata.sealed yes`,
  );
  expect(await rowOf(updated, personal)).toBe(
    'name Ada → "Ada King", metadata.tier gold → silver, metadata.sealed yes → gone',
  );
  expect(await viewEvent(deleted, log, personal)).toBeUndefined();
  expect(personal.hasFailed).toBe(false);
});

it('shows that an affiliate was erased', async () => {
  const personal = personalWith({
    kind: 'erased',
    eventId: created.id,
    position: created.position,
    erasedAt: '2026-01-01T00:00:00.000Z',
  });
  expect(await rowOf(created, personal)).toBe(
    `affiliate_id ${id}, status pending, sealed [erased]`,
  );
  expect(await rowOf(updated, personal)).toBe(
    'name [erased] → [erased], metadata [erased] → [erased]',
  );
  const json = eventJson(updated, await viewEvent(updated, log, personal));
  expect(JSON.parse(json)).toMatchObject({ data: { sealed: '[erased]' } });
  expect(personal.hasFailed).toBe(false);
});

it('a missing key is no erasure: it has failed, and names the key store', async () => {
  const personal = personalWith();
  expect(await rowOf(updated, personal)).toBe(
    `sealed "The key store (KEY_STORE_URL) has no key of affiliate ${id}. Restore the key store of this event log."`,
  );
  expect(personal.hasFailed).toBe(true);
});
