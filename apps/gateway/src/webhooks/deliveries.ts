import { setTimeout as sleep } from 'node:timers/promises';
import { processorDecider } from '@refledger/domain';
import { streams, type EndpointId, type SingleEndpointRecord } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import {
  DeliveryStoreError,
  type DeliveryStore,
  type OpenDeliveryReader,
  type RequestStore,
} from '@refledger/delivery-store';
import { dispatcherName } from '@refledger/webhook-endpoints';

/** A delivery store that was opened for requests. */
export type OpenRequestStore = RequestStore & Pick<DeliveryStore, 'id' | 'close'>;

export interface DeliveriesOptions {
  /** Opens the delivery store to read it. */
  readonly open: () => Promise<OpenDeliveryReader>;
  /** Opens the existing delivery store to change it. */
  readonly openRequests: () => Promise<OpenRequestStore>;
  readonly commands: Pick<CommandHandler, 'load'>;
}

/** The deliveries of an endpoint that have not ended, as the API counts them. */
export type UnfinishedDeliveries = Pick<SingleEndpointRecord, 'waiting' | 'held'>;

const maxCounted = 10_000;
const withinMs = 1_000;

/**
 * Reads the delivery store, and stores requested deliveries. The dispatcher may create the store
 * after the gateway has started. It is therefore opened by the first read and, for writing, by the
 * first request that needs it. If the store is unavailable, or is not the one that the log names,
 * only the operations on deliveries fail.
 */
export class Deliveries {
  private opening: Promise<OpenDeliveryReader> | undefined;
  private openingRequests: Promise<OpenRequestStore> | undefined;

  constructor(private readonly options: DeliveriesOptions) {}

  /** Throws a `DeliveryStoreError`. */
  async read<T>(work: (reader: OpenDeliveryReader) => Promise<T>): Promise<T> {
    const opening = (this.opening ??= this.open());
    try {
      return await work(await opening);
    } catch (error) {
      if (error instanceof DeliveryStoreError && error.kind !== 'unavailable')
        await this.forget(opening);
      throw error;
    }
  }

  /**
   * How many deliveries of an endpoint have not ended, up to 10,000. Null while the store can't be
   * read, or takes too long: the endpoint is shown without them.
   */
  async unfinished(endpoint: EndpointId): Promise<UnfinishedDeliveries> {
    const counts = await this.soon((reader) => reader.countUnfinished(endpoint, maxCounted));
    return { waiting: counts?.unfinished ?? null, held: counts?.held ?? null };
  }

  /**
   * Since when attempts have been failing, for each of these endpoints whose attempts are failing.
   * Empty while the store can't be read, or takes too long.
   */
  async failingSince(endpoints: readonly EndpointId[]): Promise<ReadonlyMap<EndpointId, string>> {
    if (endpoints.length === 0) return new Map();
    return (await this.soon((reader) => reader.failingSince(endpoints))) ?? new Map();
  }

  /** Changes the store, which exists. Throws a `DeliveryStoreError`. */
  async write<T>(work: (store: RequestStore) => Promise<T>): Promise<T> {
    const id = await this.read((reader) => Promise.resolve(reader.id));
    const opening = (this.openingRequests ??= this.openRequests());
    try {
      const store = await opening;
      if (store.id !== id)
        throw new DeliveryStoreError('unusable', 'the delivery store has been replaced');
      return await work(store);
    } catch (error) {
      if (error instanceof DeliveryStoreError && error.kind !== 'unavailable')
        await this.forgetRequests(opening);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.opening !== undefined) await this.forget(this.opening);
    if (this.openingRequests !== undefined) await this.forgetRequests(this.openingRequests);
  }

  /** Reads details of endpoints. If that takes too long, the endpoints are shown without them. */
  private soon<T>(work: (reader: OpenDeliveryReader) => Promise<T>): Promise<T | undefined> {
    const late = sleep(withinMs, undefined, { ref: false });
    return Promise.race([this.read(work).catch(undefinedIfUnreadable), late]);
  }

  private async open(): Promise<OpenDeliveryReader> {
    try {
      return await this.checked(await this.options.open());
    } catch (error) {
      // the next read tries again
      this.opening = undefined;
      throw error;
    }
  }

  private async checked(reader: OpenDeliveryReader): Promise<OpenDeliveryReader> {
    try {
      const { state } = await this.options.commands.load(
        processorDecider,
        streams.processor(dispatcherName),
      );
      if (state.store_id === undefined || state.store_id === reader.id) return reader;
      throw new DeliveryStoreError(
        'unusable',
        `the log names delivery store ${state.store_id}, but this is ${reader.id}: the recorded store is missing or was replaced`,
      );
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  private async openRequests(): Promise<OpenRequestStore> {
    try {
      return await this.options.openRequests();
    } catch (error) {
      // the next change tries again
      this.openingRequests = undefined;
      throw error;
    }
  }

  private async forgetRequests(opening: Promise<OpenRequestStore>): Promise<void> {
    if (this.openingRequests === opening) this.openingRequests = undefined;
    const store = await opening.catch(() => undefined);
    await store?.close();
  }

  private async forget(opening: Promise<OpenDeliveryReader>): Promise<void> {
    if (this.opening === opening) this.opening = undefined;
    const reader = await opening.catch(() => undefined);
    await reader?.close();
  }
}

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof DeliveryStoreError)) throw error;
};
