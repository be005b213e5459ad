import type { ProcessorLogger } from '@refledger/event-log';
import type { Clock, EndpointDirectory, EndpointHealth } from '@refledger/webhook-endpoints';
import type { DispatcherMetrics } from '../dispatcher-reports.js';
import type { AttemptEnd } from '../sending/attempt-sender.js';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import type { StatisticsRecorder } from '../statistics/statistics-recorder.js';

export interface AttemptReporterOptions {
  readonly metrics: DispatcherMetrics | undefined;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  readonly health: Pick<EndpointHealth, 'record'>;
  readonly statistics: Pick<StatisticsRecorder, 'attempted'>;
}

/**
 * Reports attempts whose outcome is recorded: to the metrics, to the statistics and the health of
 * the endpoint, and to the program's log when a delivery has failed for good. Tests are reported
 * only to the metrics.
 */
export class AttemptReporter {
  constructor(private readonly options: AttemptReporterOptions) {}

  report(delivery: ClaimedDelivery, attempted: AttemptEnd): void {
    const { metrics, logger, clock, directory, health, statistics } = this.options;
    const { attempt, number, next } = attempted.result;
    if (metrics !== undefined) measure(metrics, clock.now(), delivery, attempted);
    if (delivery.trigger === 'test') return;
    statistics.attempted(delivery, attempted.result);
    // an endpoint that was unsubscribed meanwhile has no health to keep
    if (attempt !== null && directory.latest(delivery.endpointId) !== undefined)
      void health.record({ ...delivery, attempt });
    if (next.status !== 'failed') return;
    const { id, endpointId: endpoint } = delivery;
    logger.warn(
      { delivery: id, endpoint, attempt: number, status: attempt?.status ?? null },
      next.reason,
    );
  }
}

const measure = (
  metrics: DispatcherMetrics,
  now: number,
  { trigger }: ClaimedDelivery,
  { result: { attempt }, sent, recordedAt }: AttemptEnd,
): void => {
  if (attempt === null) return;
  const { outcome, status } = attempt;
  metrics.onAttempt({ outcome: outcome ?? 'unknown', status, durationMs: sent?.durationMs ?? 0 });
  // the event of a redelivery or a replay may be old
  if (outcome !== 'succeeded' || trigger !== 'event' || recordedAt === undefined) return;
  metrics.onDelivered({ latencyMs: Math.max(0, now - recordedAt) });
};
