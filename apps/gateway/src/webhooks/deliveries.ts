import { processorDecider } from '@refledger/domain';
import { streams } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { DeliveryStoreError, dispatcherName, type OpenDeliveryReader } from '@refledger/webhooks';

export interface DeliveriesOptions {
  /** Opens the delivery store to read it. */
  readonly open: () => Promise<OpenDeliveryReader>;
  readonly commands: Pick<CommandHandler, 'load'>;
}

/**
 * Reads the delivery store. The dispatcher creates the store, maybe after the gateway's start, so it
 * is opened with the first read. A store that is unavailable, or that is not the one that the log
 * names, fails only the reads of deliveries.
 */
export class Deliveries {
  private opening: Promise<OpenDeliveryReader> | undefined;

  constructor(private readonly options: DeliveriesOptions) {}

  /** Throws a `DeliveryStoreError`. */
  async read<T>(work: (reader: OpenDeliveryReader) => Promise<T>): Promise<T> {
    const opening = (this.opening ??= this.open());
    try {
      return await work(await opening);
    } catch (error) {
      if (error instanceof DeliveryStoreError && error.kind === 'unusable')
        await this.forget(opening);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.opening !== undefined) await this.forget(this.opening);
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

  private async forget(opening: Promise<OpenDeliveryReader>): Promise<void> {
    if (this.opening === opening) this.opening = undefined;
    const reader = await opening.catch(() => undefined);
    await reader?.close();
  }
}
