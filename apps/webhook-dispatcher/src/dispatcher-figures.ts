import { sendsNothing, type Metrics, type PartHealth } from '@refledger/platform';
import { dispatcherName } from '@refledger/webhook-endpoints';
import type { DispatcherMetrics, DispatcherStatus, WebhookDispatcher } from '@refledger/webhooks';
import type { OperatorStore } from '@refledger/delivery-store';
import type { KeyReader } from '@refledger/key-store';
import { SlowFigure } from './slow-figure.js';

/** Records attempts and latencies in the Prometheus metrics, in seconds. */
export const attemptFigures = ({
  attempts,
  attemptSeconds,
  deliverySeconds,
}: Pick<Metrics, 'attempts' | 'attemptSeconds' | 'deliverySeconds'>): DispatcherMetrics => ({
  onAttempt({ outcome, durationMs }) {
    attempts.inc({ outcome });
    attemptSeconds.observe(durationMs / 1_000);
  },
  onDelivered({ latencyMs }) {
    deliverySeconds.observe(latencyMs / 1_000);
  },
});

export interface WatchOptions {
  readonly dispatcher: Pick<WebhookDispatcher, 'status' | 'lag'>;
  readonly store: Pick<OperatorStore, 'counts'>;
  readonly keys: Pick<KeyReader, 'counts'>;
  readonly metrics: Metrics | undefined;
  /** Called whenever the dispatcher's health has changed. */
  readonly report: (health: PartHealth) => void;
  /** Called when a measurement has failed. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Checks the dispatcher's health four times per second, or every 25 ms while it is not ready, since
 * callers may wait for that. Measures its lag, its counts and those of keys, each in its own loop:
 * none waits for another.
 */
export const watch = ({
  dispatcher,
  store,
  keys,
  metrics,
  report,
  onFailure,
}: WatchOptions): Watch => {
  const figures = metrics && measured(metrics, { dispatcher, store, keys, onFailure });
  let lastDetail = '';
  let looking: NodeJS.Timeout;
  const poll = (): void => {
    const health = healthOf(dispatcher, figures?.counts.failure);
    if (health.detail !== lastDetail) report(health);
    lastDetail = health.detail;
    looking = setTimeout(poll, health.ready ? 250 : 25).unref();
  };
  poll();
  return {
    measure: () => {
      if (metrics !== undefined) setStatus(metrics, dispatcher.status());
      figures?.lag.expire();
      figures?.counts.expire();
      figures?.keys.expire();
    },
    stop: () => {
      clearTimeout(looking);
      figures?.lag.stop();
      figures?.counts.stop();
      figures?.keys.stop();
    },
  };
};

/** What `watch` started. */
export interface Watch {
  /** Sets the metrics that cost nothing, and removes those that are too old. */
  readonly measure: () => void;
  readonly stop: () => void;
}

/** A store that does not respond is not the dispatcher's own state, but it keeps it from working. */
const healthOf = (
  dispatcher: Pick<WebhookDispatcher, 'status'>,
  storeFailure: string | undefined,
): PartHealth => {
  const { state, reason = storeFailure, sendsNothing: blocked } = dispatcher.status();
  const isFailing = state === 'running' && storeFailure !== undefined;
  const shown = isFailing ? 'retrying' : state;
  const ready = shown === 'running';
  if (ready && blocked !== undefined)
    return { part: dispatcherName, ready, detail: sendsNothing(blocked) };
  return {
    part: dispatcherName,
    ready,
    detail: reason === undefined ? shown : `${shown}: ${reason}`,
  };
};

const processor = dispatcherName;

const setStatus = (
  { processorPosition, processorStopped, processorSendsNothing }: Metrics,
  { state, position, sendsNothing: blocked }: DispatcherStatus,
): void => {
  processorPosition.set({ processor }, Number(position ?? 0));
  processorStopped.set({ processor }, state === 'stopped' ? 1 : 0);
  processorSendsNothing.set({ processor }, blocked === undefined ? 0 : 1);
};

const measured = (
  metrics: Metrics,
  {
    dispatcher,
    store,
    keys,
    onFailure,
  }: Pick<WatchOptions, 'dispatcher' | 'store' | 'keys' | 'onFailure'>,
) => ({
  lag: new SlowFigure({
    onFailure,
    measure: async () => {
      const { positions, seconds, endpointSeconds } = await dispatcher.lag();
      metrics.processorLagPositions.set({ processor }, Number(positions));
      metrics.processorLagSeconds.set({ processor }, seconds);
      metrics.endpointsLagSeconds.set(endpointSeconds);
    },
    remove: () => {
      metrics.processorLagPositions.remove({ processor });
      metrics.processorLagSeconds.remove({ processor });
      metrics.endpointsLagSeconds.remove({});
    },
  }),
  counts: new SlowFigure({
    onFailure,
    measure: async () => {
      for (const [status, count] of Object.entries(await store.counts()))
        metrics.deliveries.set({ status }, count);
    },
    remove: () => metrics.deliveries.reset(),
  }),
  keys: new SlowFigure({
    onFailure,
    measure: async () => {
      const counts = await keys.counts();
      metrics.personalKeys.set({ state: 'active' }, counts.keys);
      metrics.personalKeys.set({ state: 'erased' }, counts.erased);
    },
    remove: () => metrics.personalKeys.reset(),
  }),
});
