import { keepConsuming, type BusBatch } from '@refledger/event-bus';
import type { KeyReader } from '@refledger/key-store';
import type { Metrics, PartHealth, StartBatches } from '@refledger/platform';
import {
  WebhookDispatcher,
  type DispatcherOptions,
  type DispatcherStatus,
} from '@refledger/webhooks';
import { attemptFigures, watch } from './dispatcher-figures.js';

export interface WebhookDispatcherOptions extends Omit<DispatcherOptions, 'metrics'> {
  readonly metrics?: Metrics;
  /** The key store, whose rows are counted. */
  readonly keys: Pick<KeyReader, 'counts'>;
  /** Called whenever the dispatcher's health has changed. */
  readonly report?: (health: PartHealth) => void;
  readonly startBatches: StartBatches;
}

/**
 * Runs the dispatcher over the event bus. When it is closed, it takes no more
 * batches, waits for requests in flight, and records their outcomes. The caller still closes the
 * log, the bus, the store and the sender.
 */
export const startWebhookDispatcher = async ({
  metrics,
  keys,
  report = () => undefined,
  startBatches,
  ...options
}: WebhookDispatcherOptions) => {
  const { bus, store, logger } = options;
  const dispatcher = new WebhookDispatcher({
    ...options,
    ...(metrics && { metrics: attemptFigures(metrics) }),
  });
  const source = {
    run: (handle: (batch: BusBatch) => Promise<void>, signal: AbortSignal) =>
      keepConsuming({ bus, consumer: dispatcher, handle, signal }),
  };
  const watching = watch({
    dispatcher,
    store,
    keys,
    metrics,
    report,
    onFailure: (error) =>
      logger.warn({ err: error }, 'could not read the metrics of the webhook-dispatcher'),
  });
  const app = await startBatches(source, (batch) => dispatcher.handle(batch));
  return {
    status: (): DispatcherStatus => dispatcher.status(),
    /** Sets the metrics that are looked up only when they are collected. */
    measure: watching.measure,
    async close() {
      await app.close();
      await dispatcher.close({ deadlineMs: closeDeadlineMs });
      watching.stop();
    },
  };
};

/** How long closing waits for requests in flight. */
const closeDeadlineMs = 5_000;
