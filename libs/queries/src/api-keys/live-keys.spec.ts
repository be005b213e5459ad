import { hash } from 'node:crypto';
import { streams } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { present } from '@refledger/testing/present';
import { KeysLog } from '../../test/keys-log.js';
import { LiveKeys } from './live-keys.js';

const taken = (events: readonly LoggedEvent[]): LiveKeys => {
  const keys = new LiveKeys();
  for (const event of events) keys.apply(event);
  return keys;
};

it('finds a key until it is revoked, even if events repeat', () => {
  const log = new KeysLog();
  const { id, secret } = log.create('a');
  const other = log.create('b');
  const keys = taken(log.all);
  expect(keys.find(hash('sha256', secret), 0)).toMatchObject({
    accountId: log.account('a'),
    keyId: id,
  });

  log.revoke('a', id);
  for (const event of log.all) keys.apply(event);
  for (const event of log.all) keys.apply(event);
  expect(keys.find(hash('sha256', secret), 0)).toBeUndefined();
  expect(keys.find(hash('sha256', other.secret), 0)).toMatchObject({ accountId: log.account('b') });
  expect([
    keys.size,
    keys.nextRevision(streams.keys(log.account('a'))),
    keys.nextRevision(streams.keys('acct_x')),
  ]).toEqual([1, 2, 0]);
});

it('finds the caller of a key that expires only until then', () => {
  const log = new KeysLog();
  const [expires_at, now] = ['2026-01-31T09:30:00.000Z', Date.parse('2026-01-31T09:30:00.000Z')];
  const { id, secret } = log.create('a', { expires_at });
  const keys = taken(log.all);
  expect(keys.find(hash('sha256', secret), now - 1)).toMatchObject({ keyId: id });
  expect(keys.find(hash('sha256', secret), now)).toBe('expired');
  const wrong = log.unknownKey('a');
  expect(keys.find(hash('sha256', wrong), now)).toBeUndefined();

  log.revoke('a', id);
  for (const event of log.all) keys.apply(event);
  expect(keys.find(hash('sha256', secret), now)).toBeUndefined();
});

it('knows the names of live keys by their account', () => {
  const log = new KeysLog();
  const [mine, other] = [log.create('a'), log.create('b')];
  const keys = taken(log.all);
  const name = keys.nameOf(log.account('a'), mine.id);
  expect(name).toBe('k');
  expect(keys.nameOf(log.account('a'), other.id)).toBeUndefined();

  log.revoke('a', mine.id);
  for (const event of log.all) keys.apply(event);
  expect(keys.nameOf(log.account('a'), mine.id)).toBeUndefined();
});

it('moves past an event that it cannot read', () => {
  const log = new KeysLog();
  log.unreadable('a');
  const { secret } = log.create('a');
  const keys = new LiveKeys();
  const [bad, good] = log.all;
  expect(() => keys.apply(present(bad))).toThrow('key.from-the-future');
  expect(() => keys.apply(present(bad))).not.toThrow();
  keys.apply(present(good));
  expect(keys.find(hash('sha256', secret), 0)).toBeDefined();
});

it('reads few of the other keys for a revocation, however many there are', () => {
  const log = new KeysLog();
  for (let n = 0; n < 2_000; n++) log.create('staying');
  const ids = Array.from({ length: 100 }, () => log.create('staying').id);
  const keys = taken(log.all);
  const before = log.all.length;
  for (const id of ids) log.revoke('staying', id);
  const revocations = log.all.slice(before);

  const spy = jest.spyOn(Map.prototype, Symbol.iterator);
  for (const event of revocations) keys.apply(event);
  const maps = spy.mock.contexts as unknown as readonly { readonly size: number }[];
  const read = maps.reduce((sum, { size }) => sum + size, 0);
  spy.mockRestore();
  expect(keys.size).toBe(2_000);
  expect([read > 0, read / revocations.length < 100]).toEqual([true, true]);
});
