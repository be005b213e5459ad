import { KeyStoreError, type KeyReader, type KeyStore } from '@refledger/key-store';

/**
 * Opens keys, even while their server is unreachable: most of what a process does needs no key. The
 * store is then opened by the first call that reaches its server, and calls before that throw
 * `unavailable`. Any other error of the first attempt is thrown: a store that is missing, or is
 * another log's, prevents the start.
 */
export const openKeysLazily = (open: () => Promise<KeyStore>): Promise<LazyKeyStore> =>
  tried(new LazyKeys(open));

/** What processes do with a key store that may be opened later. */
type LazyKeyStore = Omit<KeyStore, 'id' | 'rewrap' | 'counts'>;

/** Does the same for a process that only reads keys. */
export const openKeyReaderLazily = (
  open: () => Promise<KeyReader>,
): Promise<Pick<KeyReader, 'getMany' | 'close'>> => tried(new LazyReader(open));

class LazyReader<Store extends KeyReader> implements Pick<KeyReader, 'getMany' | 'close'> {
  private opening: Promise<Store> | undefined;

  constructor(private readonly open: () => Promise<Store>) {}

  /** Opens the store unless it is open. Concurrent calls share one attempt. */
  opened(): Promise<Store> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  async getMany(...parameters: Parameters<KeyReader['getMany']>) {
    return (await this.opened()).getMany(...parameters);
  }

  async close(): Promise<void> {
    const store = await this.opening?.catch(() => undefined);
    await store?.close();
  }
}

class LazyKeys extends LazyReader<KeyStore> implements LazyKeyStore {
  async put(...parameters: Parameters<KeyStore['put']>) {
    return (await this.opened()).put(...parameters);
  }

  async destroy(...parameters: Parameters<KeyStore['destroy']>) {
    return (await this.opened()).destroy(...parameters);
  }

  async checkpoint() {
    return (await this.opened()).checkpoint();
  }

  async saveCheckpoint(...parameters: Parameters<KeyStore['saveCheckpoint']>) {
    return (await this.opened()).saveCheckpoint(...parameters);
  }

  async *scan(...parameters: Parameters<KeyStore['scan']>) {
    yield* (await this.opened()).scan(...parameters);
  }

  async *scanClaimed(...parameters: Parameters<KeyStore['scanClaimed']>) {
    yield* (await this.opened()).scanClaimed(...parameters);
  }

  async forgetClaims(...parameters: Parameters<KeyStore['forgetClaims']>) {
    return (await this.opened()).forgetClaims(...parameters);
  }
}

const tried = async <Lazy extends { opened(): Promise<unknown> }>(lazy: Lazy): Promise<Lazy> => {
  try {
    await lazy.opened();
  } catch (error) {
    if (!(error instanceof KeyStoreError) || error.kind !== 'unavailable') throw error;
  }
  return lazy;
};
