import type { BusBatch, ConsumeOptions, EventBus } from './event-bus.js';

/** Who consumes: where it goes on, and what it makes of errors. */
export interface BusConsumer extends Pick<
  ConsumeOptions,
  'offsetOf' | 'isSkipped' | 'onAssigned' | 'onNoneAssigned' | 'onUnreadable'
> {
  /** Resolves once it may begin. */
  admitted(signal: AbortSignal): Promise<void>;
  /** Resolves once consuming again makes sense: after a pause, or when an operator has decided. */
  met(error: unknown, signal: AbortSignal): Promise<void>;
}

export interface Consumption {
  readonly bus: Pick<EventBus, 'consume'>;
  readonly consumer: BusConsumer;
  readonly handle: (batch: BusBatch) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Hands every batch to `handle`, one after the other, and begins again after every error, until `signal` aborts. */
export const keepConsuming = async ({
  bus,
  consumer,
  handle,
  signal,
}: Consumption): Promise<void> => {
  await consumer.admitted(signal);
  while (!signal.aborted) {
    try {
      for await (const batch of bus.consume({ ...optionsOf(consumer), signal }))
        await handle(batch);
      if (!signal.aborted) throw new Error('the bus ended');
    } catch (error) {
      if (!signal.aborted) await consumer.met(error, signal);
    }
  }
};

const optionsOf = ({
  offsetOf,
  isSkipped,
  onAssigned,
  onNoneAssigned,
  onUnreadable,
}: BusConsumer): Omit<ConsumeOptions, 'signal'> => ({
  offsetOf,
  ...(isSkipped && { isSkipped }),
  ...(onAssigned && { onAssigned }),
  ...(onNoneAssigned && { onNoneAssigned }),
  ...(onUnreadable && { onUnreadable }),
});
