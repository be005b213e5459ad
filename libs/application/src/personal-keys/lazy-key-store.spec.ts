import { newId } from '@refledger/contracts';
import { KeyStoreError } from '@refledger/key-store';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { openKeysLazily } from './lazy-key-store.js';

const unreachable = new KeyStoreError('unavailable', 'the server does not respond');
const account = newId('account');
const key = { accountId: account, key: 'wrapped', claim: null, at: '2026-01-01T00:00:00.000Z' };

describe('keys whose server is unreachable at the start', () => {
  it('are unavailable until a call reaches the server, which opens them once', async () => {
    const engines = new SimulatedEngines(systemClock);
    let isReachable = false;
    let attempts = 0;
    const keys = await openKeysLazily(() => {
      attempts++;
      return isReachable
        ? Promise.resolve(engines.openKeys('keys', { create: true }))
        : Promise.reject(unreachable);
    });
    await expect(keys.getMany([account])).rejects.toBe(unreachable);
    isReachable = true;
    await Promise.all([keys.put(account, key), keys.getMany([account])]);
    expect((await keys.getMany([account])).get(account)).toEqual({ kind: 'key', key: 'wrapped' });
    expect(attempts).toBe(3);
    await keys.close();
  });

  it('close without having been opened', async () => {
    const keys = await openKeysLazily(() => Promise.reject(unreachable));
    await expect(keys.close()).resolves.toBeUndefined();
  });

  it.each(['absent', 'unusable', 'damaged'] as const)(
    'are not what a store is that is %s: it prevents the start',
    async (kind) => {
      const error = new KeyStoreError(kind, 'restore it');
      await expect(openKeysLazily(() => Promise.reject(error))).rejects.toBe(error);
    },
  );
});
