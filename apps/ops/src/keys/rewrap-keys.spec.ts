import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventIdOf, newId, type AffiliateId, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openKeyStore, type KeyOwner, type KeyStore } from '@refledger/key-store';
import { openSecretBox } from '@refledger/sealing';
import { rewrapKeys, type RewrapOptions } from './rewrap-keys.js';

const accountId = newId('account');
const at = '2026-01-01T00:00:00.000Z';
const erasure = {
  accountId,
  eventId: eventIdOf('00000000-0000-4000-8000-000000000000', 'stream', 0, 0),
  position: '7' as Position,
  erasedAt: at,
};
const [older, newer, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const [before, rotated, after] = [
  openSecretBox([older]),
  openSecretBox([newer, older]),
  openSecretBox([newer]),
];

describe('rewrapping keys', () => {
  let directory: string;
  let store: KeyStore;
  let unreadable: KeyOwner[];
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-rewrap-'));
    store = await openKeyStore(embeddedUrls.KEY_STORE_URL, { dataDir: directory, create: true });
    unreadable = [];
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  /** Stores the key of a new affiliate, wrapped in this box. */
  const put = async (bare: Buffer, box = before): Promise<AffiliateId> => {
    const owner = newId('affiliate');
    await store.put(owner, { accountId, key: box.wrap(bare, owner), claim: null, at });
    return owner;
  };
  const keyOf = async (owner: KeyOwner): Promise<string> => {
    const stored = (await store.getMany([owner])).get(owner);
    return stored?.kind === 'key' ? stored.key : String(stored?.kind);
  };
  const rewrap = (options: Partial<RewrapOptions> = {}) =>
    rewrapKeys({
      store,
      box: rotated,
      onUnreadable: (owner) => unreadable.push(owner),
      progress: { update: () => undefined, end: () => undefined },
      signal: new AbortController().signal,
      ...options,
    });

  it('wraps every key under the first one, and a repetition changes nothing', async () => {
    const keys = Array.from({ length: 600 }, () => randomBytes(32));
    const owners = await Promise.all(keys.map((bare) => put(bare)));
    const current = await put(randomBytes(32), after);
    const erased = await put(randomBytes(32));
    await store.destroy(erased, erasure);
    const kept = await keyOf(current);

    expect(await rewrap()).toEqual({ rewrapped: 600, current: 1, erased: 1, unreadable: 0 });
    for (const [index, owner] of owners.entries())
      expect(after.unwrap(await keyOf(owner), owner)).toEqual(keys[index]);
    expect(await keyOf(current)).toBe(kept);
    expect(await rewrap()).toEqual({ rewrapped: 0, current: 601, erased: 1, unreadable: 0 });
  });

  it('names the owner of a key that does not open, and wraps the others', async () => {
    const owner = await put(randomBytes(32));
    const foreign = await put(randomBytes(32), openSecretBox([lost]));
    const kept = await keyOf(foreign);

    expect(await rewrap()).toEqual({ rewrapped: 1, current: 0, erased: 0, unreadable: 1 });
    expect(unreadable).toEqual([foreign]);
    expect(await keyOf(foreign)).toBe(kept);
    expect(after.unwrap(await keyOf(owner), owner)).toHaveLength(32);
  });

  it('accepts what another process does to a row at the same time', async () => {
    const [erased, other] = [await put(randomBytes(32)), await put(randomBytes(32))];
    const stored = await keyOf(other);
    const racing = {
      scan: store.scan.bind(store),
      getMany: store.getMany.bind(store),
      rewrap: async (...[owner, from, to]: Parameters<KeyStore['rewrap']>) => {
        if (owner === erased) await store.destroy(erased, erasure);
        else await store.rewrap(other, stored, rotated.rewrap(stored, other) ?? '');
        return store.rewrap(owner, from, to);
      },
    };

    expect(await rewrap({ store: racing })).toEqual({
      rewrapped: 0,
      current: 1,
      erased: 1,
      unreadable: 0,
    });
    expect(await keyOf(erased)).toBe('erased');
  });

  it('ends when it is interrupted', async () => {
    const owner = await put(randomBytes(32));
    const kept = await keyOf(owner);

    await expect(rewrap({ signal: AbortSignal.abort(new Error('Ctrl-C')) })).rejects.toThrow(
      'Ctrl-C',
    );
    expect(await keyOf(owner)).toBe(kept);
  });
});
