import { streams, type ApiKeysEvent, type KeyId } from '@refledger/contracts';
import { apiKeyRecord, apiKeysDecider, fold } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { minute, record } from '../test/history.js';
import { apiKeysProjection } from './api-keys.projection.js';

const created = (id: KeyId): ApiKeysEvent => ({
  type: 'key.created',
  data: { key_id: id, name: id, scope: 'admin', hash: `hash of ${id}`, last4: 'abcd' },
});
const revoked = (id: KeyId): ApiKeysEvent => ({ type: 'key.revoked', data: { key_id: id } });
const stream = streams.keys('acct_1');

/** The documents of a collection after these events; a revoked key has none. */
const documentsIn = (collection: string, events: ReturnType<typeof record>) => {
  const documents = new Map<string, unknown>();
  for (const event of events) {
    for (const key of apiKeysProjection
      .keysOf(event)
      .filter((one) => one.collection === collection))
      documents.set(key.id, apiKeysProjection.evolve(undefined, event, key));
  }
  return new Map([...documents].filter(([, document]) => document !== null));
};

it('keeps live keys with their API fields and their hash', () => {
  const events = record(
    [created('key_1'), created('key_2'), revoked('key_1')].map((event) => ({ stream, event })),
  );
  expect([...documentsIn('keys', events)]).toEqual([
    [
      'key_2',
      {
        account_id: 'acct_1',
        hash: 'hash of key_2',
        record: {
          id: 'key_2',
          object: 'api_key',
          name: 'key_2',
          scope: 'admin',
          last4: 'abcd',
          created_at: minute(2),
          expires_at: null,
        },
      },
    ],
  ]);
  expect([...documentsIn('streams', events)]).toEqual([
    [
      stream,
      {
        account_id: 'acct_1',
        revision: 2,
        position: '3',
        event_id: present(events[2]).id,
        recorded_at: minute(3),
      },
    ],
  ]);
});

it('shows when a key expires', () => {
  const expires_at = '2026-06-01T00:00:00.000Z';
  const event = { ...created('key_1'), data: { ...created('key_1').data, expires_at } };
  const documents = documentsIn('keys', record([{ stream, event: event as ApiKeysEvent }]));
  expect(documents.get('key_1')).toMatchObject({ record: { expires_at } });
});

it('ignores other events', () => {
  const events = record([
    {
      stream: 'refledger.a',
      event: { type: 'account.created', data: { account_id: 'acct_9', name: 'Acme' } },
    },
  ]);
  expect(events.flatMap((event) => apiKeysProjection.keysOf(event))).toEqual([]);
});

it('equals the live keys of the decider after any history', () => {
  const change = fc.record({
    id: fc.nat(5).map((n): KeyId => `key_${n}`),
    isRevoked: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      // A revoked key never returns; the next key has another id.
      const events = record(
        changes.map(({ id, isRevoked }, n) => ({
          stream,
          event: isRevoked
            ? revoked(id)
            : created(changes.slice(0, n).some((before) => before.id === id) ? `${id}-${n}` : id),
        })),
      );
      const { live } = fold(
        apiKeysDecider,
        events as unknown as ((typeof events)[number] & ApiKeysEvent)[],
      );
      const documents = documentsIn('keys', events);
      expect(new Set(documents.keys())).toEqual(new Set([...live].map(([id]) => id)));
      for (const [id, key] of live)
        expect(documents.get(id)).toMatchObject({ hash: key.hash, record: apiKeyRecord(id, key) });
    }),
  );
});
