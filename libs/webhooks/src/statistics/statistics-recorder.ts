import { keysOf, type Attempt, type EndpointId } from '@refledger/contracts';
import type { ProcessorLogger } from '@refledger/event-log';
import { type Clock, recordedAt } from '@refledger/webhook-endpoints';
import {
  type AttemptResult,
  type ClaimedDelivery,
  type StatisticsPoint,
  type StatisticsStore,
  StatisticsSum,
  type EndpointStatistics,
  bucketOf,
  pointsOf,
  startOfPoint,
} from '@refledger/delivery-store';

export interface StatisticsRecorderOptions {
  readonly store: Pick<StatisticsStore, 'addStatistics'>;
  readonly clock: Clock;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Counts what becomes of deliveries and attempts, per endpoint and point of each period. It adds
 * the counts to the store every few seconds, so no attempt costs another write. A kill loses the
 * counts of these seconds; a write whose outcome is unknown is repeated, and may count twice. Only
 * the statistics are approximate then, never the deliveries.
 */
export class StatisticsRecorder {
  private points = new Map<string, CountedPoint>();
  private clearTimer: (() => void) | undefined;
  private written = Promise.resolve();
  private isWriting = false;
  private isStopped = false;
  private isFailing = false;
  private isLosing = false;

  constructor(private readonly options: StatisticsRecorderOptions) {}

  /** Counts an attempt whose outcome is recorded, and its delivery if that has ended. */
  attempted(
    { endpointId, trigger, body }: Pick<ClaimedDelivery, 'endpointId' | 'trigger' | 'body'>,
    { attempt, endedAt, next }: Pick<AttemptResult, 'attempt' | 'endedAt' | 'next'>,
  ): void {
    const at = Date.parse(endedAt);
    const isEnd = next.status !== 'waiting' && next.status !== 'held';
    if (attempt === null && !isEnd) return;
    // the event of a redelivery or a replay may be old
    const isTimed = next.status === 'succeeded' && trigger === 'event' && body !== null;
    this.count(endpointId, at, {
      ...(isEnd && { deliveries: { [next.status]: 1 } }),
      ...(attempt !== null && countsOf(attempt, at)),
      ...(isTimed && { timesToSuccess: { [bucketOf(at - recordedAt(body))]: 1 } }),
    });
  }

  /** Counts deliveries that were canceled before an attempt. */
  canceled(endpointId: EndpointId, count: number): void {
    if (count === 0) return;
    this.count(endpointId, this.options.clock.now(), { deliveries: { canceled: count } });
  }

  /** Writes what was counted. Never rejects: what cannot be written is kept for the next time. */
  flush(): Promise<void> {
    this.clearTimer?.();
    this.clearTimer = undefined;
    this.written = this.written.then(() => this.write());
    return this.written;
  }

  /** Ends the regular writes. */
  stop(): void {
    this.isStopped = true;
    this.clearTimer?.();
    this.clearTimer = undefined;
  }

  private count(endpointId: EndpointId, at: number, counts: Partial<EndpointStatistics>): void {
    for (const period of periods)
      this.add({ endpointId, period, startsAt: startOfPoint(period, at) }, counts);
    this.flushLater();
    const isEarly = this.points.size >= manyPoints && !this.isWriting && !this.isFailing;
    if (isEarly) void this.flush();
  }

  private add(point: Point, counts: Partial<EndpointStatistics>): void {
    const key = `${point.endpointId} ${point.period} ${point.startsAt}`;
    const counted = this.points.get(key) ?? { ...point, sum: new StatisticsSum() };
    if (!this.points.has(key) && this.points.size >= maxPoints) return this.warnOfLoss();
    counted.sum.add(counts);
    this.points.set(key, counted);
  }

  private flushLater(): void {
    if (this.isStopped) return;
    this.clearTimer ??= this.options.clock.schedule(flushMs, () => void this.flush());
  }

  private async write(): Promise<void> {
    const { store, logRetry } = this.options;
    const points = [...this.points.values()];
    this.points = new Map();
    this.isWriting = true;
    try {
      while (points.length > 0) {
        await store.addStatistics(points.slice(0, step).map(toPoint));
        points.splice(0, step);
      }
      this.isFailing = false;
      this.isLosing = false;
    } catch (error) {
      this.isFailing = true;
      logRetry('writing statistics of endpoints', error);
      for (const { sum, ...point } of points) this.add(point, sum.counts);
      this.flushLater();
    }
    this.isWriting = false;
  }

  /** Warns once, until statistics are written again. */
  private warnOfLoss(): void {
    if (this.isLosing) return;
    this.isLosing = true;
    this.options.logger.warn(
      { points: maxPoints },
      'statistics of endpoints are being lost: the delivery store accepts no writes and the buffer is full. Restore the delivery store.',
    );
  }
}

const flushMs = 5_000;
/** Points per call to the store; limited because other calls wait for it. */
const step = 25;
/** With this many points, a write begins before the next regular one. */
const manyPoints = 2_000;
/** The most that are kept in memory while they cannot be written. */
const maxPoints = 20_000;

type Point = Omit<StatisticsPoint, 'statistics'>;
type CountedPoint = Point & { readonly sum: StatisticsSum };

const toPoint = ({ sum, ...point }: CountedPoint): StatisticsPoint => ({
  ...point,
  statistics: sum.counts,
});

const periods = keysOf(pointsOf);

/** An attempt of unknown outcome ended at an unknown time. */
const countsOf = (
  { outcome, startedAt }: Attempt,
  endedAt: number,
): Partial<EndpointStatistics> => ({
  attempts: { [outcome ?? 'unknown']: 1 },
  ...(outcome !== null &&
    outcome !== 'unknown' && { durations: { [bucketOf(endedAt - Date.parse(startedAt))]: 1 } }),
});
