import type { Metrics, PartHealth } from '@refledger/platform';
import {
  dispatcherName,
  type DeliveryStore,
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
    if (outcome !== 'canceled') attemptSeconds.observe(durationMs / 1_000);
  },
  onDelivered({ latencyMs }) {
    deliverySeconds.observe(latencyMs / 1_000);
  },
});

export interface Watched {
  readonly dispatcher: WebhookDispatcher;
  readonly store: Pick<DeliveryStore, 'counts'>;
  readonly metrics: Metrics | undefined;
  /** Called whenever the dispatcher's health has changed. */
  readonly report: (health: PartHealth) => void;
  /** Called when a measurement has failed. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Checks the dispatcher's health four times per second, or every 25 ms while it is not ready, since
 * callers may wait for that. Measures its lag and counts once per second. Returns a function that
 * stops it.
 */
export const watch = ({ dispatcher, store, metrics, report, onFailure }: Watched): (() => void) => {
  let said = '';
  let looking: NodeJS.Timeout;
  const look = (): void => {
    const health = healthOf(dispatcher);
    if (health.detail !== said) report(health);
    said = health.detail;
    looking = setTimeout(look, health.ready ? 250 : 25).unref();
  };
  const measureAll = (): void => {
    if (metrics !== undefined) measure(dispatcher, store, metrics).catch(onFailure);
  };
  look();
  measureAll();
  const measuring = setInterval(measureAll, 1_000).unref();
  return () => {
    clearTimeout(looking);
    clearInterval(measuring);
  };
};

const healthOf = (dispatcher: WebhookDispatcher): PartHealth => {
  const { state, reason } = dispatcher.status();
  return {
    part: dispatcherName,
    ready: state === 'running',
    detail: reason === undefined ? state : `${state}: ${reason}`,
  };
};

const measure = async (
  dispatcher: WebhookDispatcher,
  store: Pick<DeliveryStore, 'counts'>,
  metrics: Metrics,
): Promise<void> => {
  const processor = dispatcherName;
  metrics.processorStopped.set({ processor }, dispatcher.status().state === 'stopped' ? 1 : 0);
  const { positions, seconds } = await dispatcher.lag();
  metrics.processorLagPositions.set({ processor }, Number(positions));
  metrics.processorLagSeconds.set({ processor }, seconds);
  for (const [status, count] of Object.entries(await store.counts()))
    metrics.deliveries.set({ status }, count);
};
