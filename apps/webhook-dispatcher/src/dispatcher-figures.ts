import type { Metrics, PartHealth } from '@refledger/platform';
import { dispatcherName, type DeliveryStore, type DispatcherMetrics, type WebhookDispatcher } from '@refledger/webhooks';

/** Attempts and latencies as Prometheus has them, in seconds. */
export const attemptFigures = ({ attempts, attemptSeconds, deliverySeconds }: Pick<Metrics, 'attempts' | 'attemptSeconds' | 'deliverySeconds'>): DispatcherMetrics => ({
  onAttempt({ outcome, durationMs }) {
    attempts.inc({ outcome });
    if (outcome !== 'cancelled') attemptSeconds.observe(durationMs / 1_000);
  },
  onDelivered({ latencyMs }) {
    deliverySeconds.observe(latencyMs / 1_000);
  },
});

export interface Watched {
  readonly dispatcher: WebhookDispatcher;
  readonly store: Pick<DeliveryStore, 'counts'>;
  readonly metrics: Metrics | undefined;
  /** Hears whenever the dispatcher's health has changed. */
  readonly say: (health: PartHealth) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Looks at the dispatcher four times a second, and at its lag and counts once. The answer ends it. */
export const watch = ({ dispatcher, store, metrics, say, onFailure }: Watched): (() => void) => {
  let said = '';
  let turns = 0;
  const turn = (): void => {
    const health = healthOf(dispatcher);
    if (health.detail !== said) say(health);
    said = health.detail;
    if (metrics !== undefined && turns++ % 4 === 0) measure(dispatcher, store, metrics).catch(onFailure);
  };
  turn();
  const timer = setInterval(turn, 250);
  timer.unref();
  return () => clearInterval(timer);
};

const healthOf = (dispatcher: WebhookDispatcher): PartHealth => {
  const { state, reason } = dispatcher.status();
  return { part: dispatcherName, ready: state === 'running', detail: reason === undefined ? state : `${state}: ${reason}` };
};

const measure = async (dispatcher: WebhookDispatcher, store: Pick<DeliveryStore, 'counts'>, metrics: Metrics): Promise<void> => {
  const follower = dispatcherName;
  metrics.followerStopped.set({ follower }, dispatcher.status().state === 'stopped' ? 1 : 0);
  const { positions, seconds } = await dispatcher.lag();
  metrics.followerLagPositions.set({ follower }, Number(positions));
  metrics.followerLagSeconds.set({ follower }, seconds);
  for (const [status, count] of Object.entries(await store.counts())) metrics.deliveries.set({ status }, count);
};
