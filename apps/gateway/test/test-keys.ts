import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openKeyStore, type KeyOwner, type KeyStore } from '@refledger/key-store';

/** A key store on SQLite, from which keys can be missing. Counts how keys are read. */
export class TestKeys {
  /** The owners whose keys were asked for, call by call. */
  readonly reads: (readonly KeyOwner[])[] = [];
  /** Whether the key of this owner is missing. */
  isMissing: (owner: KeyOwner) => boolean = () => false;
  readonly store: KeyStore;

  private constructor(
    private readonly opened: KeyStore,
    private readonly dataDir: string,
  ) {
    this.store = withGetMany(opened, async (owners) => {
      this.reads.push(owners);
      const found = await opened.getMany(owners);
      return new Map([...found].filter(([owner]) => !this.isMissing(owner)));
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

/** Test double: the same store, but keys are read with this function. */
const withGetMany = (store: KeyStore, getMany: KeyStore['getMany']): KeyStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'getMany') return getMany;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
