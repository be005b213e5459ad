import type { BusBatch, ConsumeOptions, EventBus } from './event-bus.js';

/** A consumer: where it continues, and how it handles errors. */
export interface BusConsumer extends Pick<
  ConsumeOptions,
  'offsetOf' | 'isSkipped' | 'onAssigned' | 'onNoneAssigned' | 'onUnreadable'
> {
  /** Resolves once the consumer may start. */
  admitted(signal: AbortSignal): Promise<void>;
  /** Resolves once consuming again makes sense: after a delay, or after an operator's decision. */
  onError(error: unknown, signal: AbortSignal): Promise<void>;
}

/** A bus, its consumer, and the handler of its batches. */
export interface Consumption {
  readonly bus: Pick<EventBus, 'consume'>;
  readonly consumer: BusConsumer;
  readonly handle: (batch: BusBatch) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Passes every batch to `handle`, one after another, and starts again after every error, until
 * `signal` aborts.
 */
export const keepConsuming = async ({
  bus,
  consumer,
  handle,
  signal,
}: Consumption): Promise<void> => {
  const { offsetOf, isSkipped, onAssigned, onNoneAssigned, onUnreadable } = consumer;
  const options = { offsetOf, isSkipped, onAssigned, onNoneAssigned, onUnreadable, signal };
  await consumer.admitted(signal);
  while (!signal.aborted) {
    try {
      for await (const batch of bus.consume(options)) await handle(batch);
      if (!signal.aborted) throw new Error('the event bus ended');
    } catch (error) {
      if (!signal.aborted) await consumer.onError(error, signal);
    }
  }
};
