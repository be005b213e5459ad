import {
  DeliveryStoreError,
  type DeliveryStore,
  type OpenDeliveryReader,
  type RequestStore,
} from '@refledger/delivery-store';

/** A delivery store that was opened for requests. */
export type OpenRequestStore = RequestStore & Pick<DeliveryStore, 'id' | 'close'>;

export interface DeliveriesOptions {
  /** Opens the delivery store to read it. */
  readonly open: () => Promise<OpenDeliveryReader>;
  /** Opens the existing delivery store to change it. */
  readonly openRequests: () => Promise<OpenRequestStore>;
  /** The id of the store that the log names; undefined if it names none. */
  readonly recordedStore: () => Promise<string | undefined>;
}

/**
 * Reads the delivery store, and stores requested deliveries. The dispatcher may create the store
 * after the gateway has started. It is therefore opened by the first read and, for writing, by the
 * first request that needs it. If the store is unavailable, or is not the one that the log names,
 * only the operations on deliveries fail.
 */
export class Deliveries {
  private readonly reader: ReopenedStore<OpenDeliveryReader>;
  private readonly requests: ReopenedStore<OpenRequestStore>;

  constructor(options: DeliveriesOptions) {
    this.reader = new ReopenedStore(() => openRecorded(options));
    this.requests = new ReopenedStore(options.openRequests);
  }

  /** Throws a `DeliveryStoreError`. */
  read<T>(work: (reader: OpenDeliveryReader) => Promise<T>): Promise<T> {
    return this.reader.use(work);
  }

  /** Changes the store, which exists. Throws a `DeliveryStoreError`. */
  async write<T>(work: (store: RequestStore) => Promise<T>): Promise<T> {
    const id = await this.read((reader) => Promise.resolve(reader.id));
    return this.requests.use((store) => {
      if (store.id !== id)
        throw new DeliveryStoreError('unusable', 'the delivery store has been replaced');
      return work(store);
    });
  }

  async close(): Promise<void> {
    await this.reader.close();
    await this.requests.close();
  }
}

/** Opens a store for its first use, and again after a failure to open it, or once it is unusable. */
class ReopenedStore<Store extends { close(): Promise<void> }> {
  private opening: Promise<Store> | undefined;

  constructor(private readonly open: () => Promise<Store>) {}

  async use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const opening = (this.opening ??= this.opened());
    try {
      return await work(await opening);
    } catch (error) {
      if (error instanceof DeliveryStoreError && error.kind !== 'unavailable')
        await this.forget(opening);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.opening !== undefined) await this.forget(this.opening);
  }

  private async opened(): Promise<Store> {
    try {
      return await this.open();
    } catch (error) {
      // the next use tries again
      this.opening = undefined;
      throw error;
    }
  }

  private async forget(opening: Promise<Store>): Promise<void> {
    if (this.opening === opening) this.opening = undefined;
    const store = await opening.catch(() => undefined);
    await store?.close();
  }
}

const openRecorded = async ({
  open,
  recordedStore,
}: Pick<DeliveriesOptions, 'open' | 'recordedStore'>): Promise<OpenDeliveryReader> => {
  const reader = await open();
  try {
    const recorded = await recordedStore();
    if (recorded === undefined || recorded === reader.id) return reader;
    throw new DeliveryStoreError(
      'unusable',
      `the log names delivery store ${recorded}, but this is ${reader.id}: the recorded store is missing or was replaced`,
    );
  } catch (error) {
    await reader.close();
    throw error;
  }
};
