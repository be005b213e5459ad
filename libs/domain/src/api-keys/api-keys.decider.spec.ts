import { apiKeySchema, derivedId, scopes } from '@refledger/contracts';
import type { ApiKeysEvent, Scope } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { entriesRead } from '../../test/entries-read.js';
import { instantOf, given, obeysLaws, refusal, textMatching, when } from '../../test/scenario.js';
import { apiKeyRecord, apiKeysDecider, isLastingAdmin, maxKeys } from './api-keys.decider.js';
import type { ApiKeysCommand } from './api-keys.decider.js';

const keyOf = (name: string, scope: Scope = 'write') => ({
  key_id: derivedId('key', name),
  name,
  scope,
  hash: `hash of ${name}`,
  last4: 'abcd',
});
const createdOf = (name: string, scope?: Scope): ApiKeysEvent => ({
  type: 'key.created',
  data: keyOf(name, scope),
});
const revokedOf = (name: string): ApiKeysEvent => ({
  type: 'key.revoked',
  data: { key_id: keyOf(name).key_id },
});
const expiringOf = (name: string, scope?: Scope): ApiKeysEvent => ({
  type: 'key.created',
  data: { ...keyOf(name, scope), expires_at: '2026-06-01T00:00:00.000Z' },
});
const creation = (by: Scope, name: string, scope?: Scope) =>
  ({ type: 'create', by, recordedAt: instantOf(0), ...keyOf(name, scope) }) as const;
const none = given(apiKeysDecider);

describe('creating a key', () => {
  it.each(
    scopes.flatMap((by) =>
      scopes.map((scope) => ({ by, scope, allowed: scopes.indexOf(scope) <= scopes.indexOf(by) })),
    ),
  )('with scope $scope by a key with scope $by: $allowed', ({ by, scope, allowed }) => {
    const decide = () => when(apiKeysDecider, none, { ...creation(by, 'a', scope), name: ' a ' });
    if (allowed) expect(decide()).toEqual([createdOf('a', scope)]);
    else
      expect(refusal(decide)).toMatchObject({
        code: 'insufficient_scope',
        detail: textMatching(`${by}.*${scope}`),
      });
  });

  it('is rejected beyond a thousand live keys, and works again once one is revoked', () => {
    const full = given(
      apiKeysDecider,
      ...Array.from({ length: maxKeys }, (_, index) => createdOf(`k${index}`)),
    );
    const create = creation('admin', 'more');
    expect(refusal(() => when(apiKeysDecider, full, create))).toMatchObject({
      code: 'validation_failed',
      detail: textMatching('1000'),
    });
    const less = apiKeysDecider.evolve(full, revokedOf('k7'), {
      revision: maxKeys,
      recordedAt: instantOf(maxKeys),
    });
    expect(when(apiKeysDecider, less, create)).toHaveLength(1);
    expect(refusal(() => when(apiKeysDecider, full, create)).code).toBe('validation_failed');
  });

  it('again with the same id has no effect', () => {
    expect(
      when(apiKeysDecider, given(apiKeysDecider, createdOf('a')), creation('admin', 'a')),
    ).toEqual([]);
  });

  describe('with an expiry', () => {
    const expiring = (expires_at: string | null | undefined, recordedAt = instantOf(0)) =>
      when(apiKeysDecider, none, { ...creation('admin', 'a'), recordedAt, expires_at });

    it.each([
      ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001Z'],
      ['2026-02-01T09:30:00+01:00', '2026-02-01T08:30:00.000Z'],
    ])('of %s records it in UTC with milliseconds', (sent, expires_at) => {
      const [event] = expiring(sent);
      expect(event).toEqual({ type: 'key.created', data: { ...keyOf('a'), expires_at } });
      expect(
        apiKeyRecord(
          'key_a',
          present(given(apiKeysDecider, present(event)).live.get(keyOf('a').key_id)),
        ),
      ).toEqual(expect.objectContaining({ expires_at }));
    });

    it.each([null, undefined])('of %s records a key that does not expire', (none) => {
      expect(expiring(none)).toEqual([createdOf('a')]);
      const { live } = given(apiKeysDecider, createdOf('a'));
      expect(live.get(keyOf('a').key_id)?.expires_at).toBeNull();
    });

    it.each(['2026-01-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:59:59+01:00'])(
      'of %s is rejected when it is not in the future',
      (sent) =>
        expect(refusal(() => expiring(sent))).toMatchObject({
          code: 'validation_failed',
          extras: { errors: [{ path: '/expires_at', code: 'too_early' }] },
        }),
    );
  });
});

describe('ensuring the configured key', () => {
  const ensure = { type: 'ensure', existedBefore: false, ...keyOf('boot', 'operator') } as const;

  it('creates it the first time', () =>
    expect(when(apiKeysDecider, none, ensure)).toEqual([createdOf('boot', 'operator')]));

  it('has no effect if its hash is live under any id, or revoked', () => {
    const again = { ...ensure, key_id: derivedId('key', 'other') };
    expect(
      when(apiKeysDecider, given(apiKeysDecider, createdOf('boot', 'operator')), again),
    ).toEqual([]);
    const revoked = given(
      apiKeysDecider,
      createdOf('boot', 'operator'),
      createdOf('a', 'admin'),
      revokedOf('boot'),
    );
    expect(when(apiKeysDecider, revoked, { ...again, existedBefore: true })).toEqual([]);
  });

  it('adds a changed key', () => {
    expect(
      when(apiKeysDecider, given(apiKeysDecider, createdOf('boot', 'operator')), {
        ...ensure,
        ...keyOf('boot 2', 'operator'),
      }),
    ).toHaveLength(1);
  });
});

describe('revoking a key', () => {
  const revoke = (name: string): ApiKeysCommand => ({ type: 'revoke', key_id: keyOf(name).key_id });

  it('revokes it, once', () => {
    expect(when(apiKeysDecider, given(apiKeysDecider, createdOf('a')), revoke('a'))).toEqual([
      revokedOf('a'),
    ]);
    expect(
      refusal(() =>
        when(apiKeysDecider, given(apiKeysDecider, createdOf('a'), revokedOf('a')), revoke('a')),
      ),
    ).toMatchObject({ code: 'not_found', detail: textMatching(keyOf('a').key_id) });
  });

  it('that is unknown fails with not_found', () =>
    expect(refusal(() => when(apiKeysDecider, none, revoke('a'))).code).toBe('not_found'));

  it.each([['admin'], ['operator']] as const)(
    'is rejected for the last key with scope %s, however many lesser keys there are',
    (scope) => {
      const state = given(
        apiKeysDecider,
        createdOf('a', scope),
        createdOf('w', 'write'),
        createdOf('gone', 'admin'),
        revokedOf('gone'),
      );
      expect(refusal(() => when(apiKeysDecider, state, revoke('a'))).code).toBe('last_admin_key');
      expect(when(apiKeysDecider, state, revoke('w'))).toHaveLength(1);
    },
  );

  it('that expires is always possible, and such a key is not the last admin key', () => {
    const state = given(
      apiKeysDecider,
      createdOf('a', 'admin'),
      expiringOf('short', 'admin'),
      expiringOf('shorter', 'operator'),
    );
    expect(refusal(() => when(apiKeysDecider, state, revoke('a'))).code).toBe('last_admin_key');
    expect(when(apiKeysDecider, state, revoke('short'))).toEqual([revokedOf('short')]);
  });

  it('with scope admin is possible while an operator key remains', () => {
    expect(
      when(
        apiKeysDecider,
        given(apiKeysDecider, createdOf('a', 'admin'), createdOf('o', 'operator')),
        revoke('a'),
      ),
    ).toHaveLength(1);
  });
});

it('obeys the laws of a decider, and never loses the last admin key', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const command = fc.oneof(
    fc
      .record({
        name: names,
        scope: fc.constantFrom(...scopes),
        by: fc.constantFrom(...scopes),
        expires_at: fc.constantFrom(undefined, null, '2026-06-01T00:00:00Z'),
      })
      .map(({ name, scope, by, expires_at }): ApiKeysCommand => ({
        ...creation(by, name, scope),
        expires_at,
      })),
    names.map((name): ApiKeysCommand => ({ type: 'revoke', key_id: keyOf(name).key_id })),
    fc.constant<ApiKeysCommand>({
      type: 'ensure',
      existedBefore: false,
      ...keyOf('boot', 'operator'),
    }),
  );
  obeysLaws(apiKeysDecider, command, ({ state, command: asked, history }) => {
    for (const [id, key] of state.live)
      apiKeySchema.parse({ ...apiKeyRecord(id, key), last_used_at: null });
    const admins = history.some(
      (event) =>
        event.type === 'key.created' &&
        event.data.expires_at === undefined &&
        (event.data.scope === 'admin' || event.data.scope === 'operator'),
    );
    expect([...state.live.values()].some(isLastingAdmin)).toBe(admins);
    if (asked.type !== 'revoke') expect(apiKeysDecider.decide(asked, state)).toEqual([]);
  });
});

describe('the fold of a long stream', () => {
  /**
   * Returns how many entries of maps each event reads, by copying or walking them, while `pairs`
   * keys are created and revoked and `staying` other keys stay live.
   */
  const readPerEvent = (pairs: number, staying: number): number => {
    const state = given(
      apiKeysDecider,
      ...Array.from({ length: staying }, (_, n) => createdOf(`s${n}`, 'admin')),
    );
    const events = Array.from({ length: pairs }, (_, n) => [
      createdOf(`p${n}`),
      revokedOf(`p${n}`),
    ]).flat();
    const read = entriesRead(() =>
      events.reduce(
        (before, event, revision) =>
          apiKeysDecider.evolve(before, event, { revision, recordedAt: '' }),
        state,
      ),
    );
    return read / events.length;
  };

  it('costs the same per event, however many came before', () => {
    expect(readPerEvent(2_000, 100)).toBeLessThan(1.1 * readPerEvent(200, 100));
  });

  it('reads few of the live keys for each event, however many there are', () => {
    const read = readPerEvent(200, 990);
    expect([read > 1, read < 990 / 32]).toEqual([true, true]);
  });

  it('leads to a state without revoked keys', () => {
    const history = Array.from({ length: 50 }, (_, n) => [
      createdOf(`p${n}`),
      revokedOf(`p${n}`),
    ]).flat();
    const { live } = given(apiKeysDecider, createdOf('a', 'admin'), ...history);
    expect([...live].map(([id]) => id)).toEqual([keyOf('a').key_id]);
    expect(Object.keys(given(apiKeysDecider))).toEqual(['live']);
  });
});
