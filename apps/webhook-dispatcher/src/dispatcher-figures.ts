import type { Metrics, PartHealth } from '@refledger/platform';
import {
  dispatcherName,
  type OperatorStore,
  type DispatcherMetrics,
  type WebhookDispatcher,
} from '@refledger/webhooks';

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

interface MeasureOptions {
  readonly dispatcher: Pick<WebhookDispatcher, 'status' | 'lag'>;
  readonly store: Pick<OperatorStore, 'counts'>;
  readonly metrics: Metrics;
  /** Called when a measurement has failed. */
  readonly onFailure: (error: unknown) => void;
}

export interface WatchOptions extends Omit<MeasureOptions, 'metrics'> {
  readonly metrics: Metrics | undefined;
  /** Called whenever the dispatcher's health has changed. */
  readonly report: (health: PartHealth) => void;
}

/**
 * Checks the dispatcher's health four times per second, or every 25 ms while it is not ready, since
 * callers may wait for that. Measures its lag and counts once per second, or less often if that
 * takes over 50 ms. Returns a function that stops it.
 */
export const watch = ({
  dispatcher,
  store,
  metrics,
  report,
  onFailure,
}: WatchOptions): (() => void) => {
  let lastDetail = '';
  let looking: NodeJS.Timeout;
  const poll = (): void => {
    const health = healthOf(dispatcher);
    if (health.detail !== lastDetail) report(health);
    lastDetail = health.detail;
    looking = setTimeout(poll, health.ready ? 250 : 25).unref();
  };
  poll();
  const stopMeasuring = metrics && keepMeasuring({ dispatcher, store, metrics, onFailure });
  return () => {
    clearTimeout(looking);
    stopMeasuring?.();
  };
};

const measureEveryMs = 1_000;
/** A store with millions of deliveries takes a while to count them, and others use it meanwhile. */
const pausePerMeasuredMs = 20;

/** One measurement at a time: several at once would make a slow store even slower. */
const keepMeasuring = (options: MeasureOptions): (() => void) => {
  let isStopped = false;
  let next: NodeJS.Timeout | undefined;
  const once = async (): Promise<void> => {
    const began = performance.now();
    await measure(options).catch(options.onFailure);
    if (isStopped) return;
    const pauseMs = pausePerMeasuredMs * (performance.now() - began);
    next = setTimeout(() => void once(), Math.max(measureEveryMs, pauseMs)).unref();
  };
  void once();
  return () => {
    isStopped = true;
    clearTimeout(next);
  };
};

const healthOf = (dispatcher: Pick<WebhookDispatcher, 'status'>): PartHealth => {
  const { state, reason } = dispatcher.status();
  return {
    part: dispatcherName,
    ready: state === 'running',
    detail: reason === undefined ? state : `${state}: ${reason}`,
  };
};

const measure = async ({
  dispatcher,
  store,
  metrics,
}: Omit<MeasureOptions, 'onFailure'>): Promise<void> => {
  const processor = dispatcherName;
  metrics.processorStopped.set({ processor }, dispatcher.status().state === 'stopped' ? 1 : 0);
  const { positions, seconds, endpointSeconds } = await dispatcher.lag();
  metrics.processorLagPositions.set({ processor }, Number(positions));
  metrics.processorLagSeconds.set({ processor }, seconds);
  metrics.endpointsLagSeconds.set(endpointSeconds);
  for (const [status, count] of Object.entries(await store.counts()))
    metrics.deliveries.set({ status }, count);
};
