import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toPosition } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openKeyStore, type KeyOwner, type KeyStore, type StoredKey } from '@refledger/key-store';
import { present } from '@refledger/testing/present';

/** A key store on SQLite, from which keys can be missing or erased. Counts how keys are read. */
export class TestKeys {
  /** The owners whose keys were asked for, call by call. */
  readonly reads: (readonly KeyOwner[])[] = [];
  /** Whether the key of this owner is missing. */
  isMissing: (owner: KeyOwner) => boolean = () => false;
  /** Whether this owner is erased. */
  isErased: (owner: KeyOwner) => boolean = () => false;
  readonly store: KeyStore;

  private constructor(
    private readonly opened: KeyStore,
    private readonly dataDir: string,
  ) {
    this.store = withGetMany(opened, async (owners) => {
      this.reads.push(owners);
      const found = await opened.getMany(owners);
      const shown = [...found].filter(([owner]) => !this.isMissing(owner));
      return new Map(shown.map(([owner, key]) => [owner, this.isErased(owner) ? erased : key]));
    });
  }

  static async open(): Promise<TestKeys> {
    const dataDir = mkdtempSync(join(tmpdir(), 'refledger-keys-'));
    const opened = await openKeyStore(embeddedUrls.KEY_STORE_URL, { dataDir, create: true });
    return new TestKeys(opened, dataDir);
  }

  async close(): Promise<void> {
    await this.opened.close();
    rmSync(this.dataDir, { recursive: true });
  }
}

const erased: StoredKey = {
  kind: 'erased',
  eventId: 'e',
  position: present(toPosition('1')),
  erasedAt: '2026-01-01T00:00:00.000Z',
};

/** Test double: the same store, but keys are read with this function. */
const withGetMany = (store: KeyStore, getMany: KeyStore['getMany']): KeyStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'getMany') return getMany;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
