import { apiKeySchema, derivedId, scopes } from '@refledger/contracts';
import type { ApiKeysEvent, Scope } from '@refledger/contracts';
import fc from 'fast-check';
import { entriesRead } from '../../test/entries-read.js';
import { at, given, obeysLaws, refusal, textMatching, when } from '../../test/scenario.js';
import { apiKeyRecord, apiKeysDecider, maxKeys } from './api-keys.decider.js';
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
const none = given(apiKeysDecider);

describe('creating a key', () => {
  it.each(
    scopes.flatMap((by) =>
      scopes.map((scope) => ({ by, scope, allowed: scopes.indexOf(scope) <= scopes.indexOf(by) })),
    ),
  )('with scope $scope by a key with scope $by: $allowed', ({ by, scope, allowed }) => {
    const decide = () =>
      when(apiKeysDecider, none, { type: 'create', by, ...keyOf('a', scope), name: ' a ' });
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
    const create = { type: 'create', by: 'admin', ...keyOf('more') } as const;
    expect(refusal(() => when(apiKeysDecider, full, create))).toMatchObject({
      code: 'validation_failed',
      detail: textMatching('1000'),
    });
    const less = apiKeysDecider.evolve(full, revokedOf('k7'), {
      revision: maxKeys,
      recordedAt: at(maxKeys),
    });
    expect(when(apiKeysDecider, less, create)).toHaveLength(1);
    expect(refusal(() => when(apiKeysDecider, full, create)).code).toBe('validation_failed');
  });

  it('again with the same id has no effect', () => {
    expect(
      when(apiKeysDecider, given(apiKeysDecider, createdOf('a')), {
        type: 'create',
        by: 'admin',
        ...keyOf('a'),
      }),
    ).toEqual([]);
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
      .record({ name: names, scope: fc.constantFrom(...scopes), by: fc.constantFrom(...scopes) })
      .map(({ name, scope, by }): ApiKeysCommand => ({
        type: 'create',
        by,
        ...keyOf(name, scope),
      })),
    names.map((name): ApiKeysCommand => ({ type: 'revoke', key_id: keyOf(name).key_id })),
    fc.constant<ApiKeysCommand>({
      type: 'ensure',
      existedBefore: false,
      ...keyOf('boot', 'operator'),
    }),
  );
  obeysLaws(apiKeysDecider, command, ({ state, command: asked, history }) => {
    for (const [id, key] of state.live) apiKeySchema.parse(apiKeyRecord(id, key));
    const admins = history.some(
      (event) =>
        event.type === 'key.created' &&
        (event.data.scope === 'admin' || event.data.scope === 'operator'),
    );
    expect(
      [...state.live.values()].some(({ scope }) => scope === 'admin' || scope === 'operator'),
    ).toBe(admins);
    if (asked.type !== 'revoke') expect(apiKeysDecider.decide(asked, state)).toEqual([]);
  });
});

describe('the fold of a long stream', () => {
  /**
   * Returns how many entries of maps each event reads, by copying or walking them, while `pairs` keys
   * are created and revoked and `staying` other keys stay live.
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
