import type { EndpointId, StatsPeriod } from '@refledger/contracts';
import type { EndpointStatistics } from './statistics/endpoint-statistics.js';
import type { DeliverySummary } from './delivery.js';

/**
 * The statistics of an endpoint in one point of a period. Each period has points of its own, so
 * that reading it takes one document per point at most, however many deliveries there were.
 */
export interface StatisticsPoint {
  readonly endpointId: EndpointId;
  readonly period: StatsPeriod;
  /** The first instant of the point (RFC 3339). */
  readonly startsAt: string;
  readonly statistics: EndpointStatistics;
}

/** What the dispatcher needs to write the statistics of endpoints. */
export interface StatisticsStore {
  /**
   * Adds to what is stored for these points, which are distinct; several dispatchers may count the
   * same point. After an error it is unknown how many were added.
   */
  addStatistics(points: readonly StatisticsPoint[]): Promise<void>;
  /**
   * Removes at most `limit` points of a period that began before this instant, of all endpoints.
   * Resolves to the number removed.
   */
  removeStatistics(period: StatsPeriod, before: string, limit: number): Promise<number>;
}

/** Which points of an endpoint to read. */
export interface StatisticsRange {
  readonly endpointId: EndpointId;
  readonly period: StatsPeriod;
  /** The start of the first point. */
  readonly from: string;
  /** The start of the last point. */
  readonly to: string;
}

/** A delivery that is not finished and not being sent. */
export type WaitingDelivery = Pick<DeliverySummary, 'id' | 'createdAt'> & {
  readonly status: 'waiting' | 'held';
};

/** What the API shows of the statistics of an endpoint. */
export interface StatisticsReader {
  /** The points in which anything was counted, in order. */
  statistics(range: StatisticsRange): Promise<readonly StatisticsPoint[]>;
  /** Of the deliveries of an endpoint that wait or are held, the oldest one. Tests do not count. */
  oldestWaiting(endpoint: EndpointId): Promise<WaitingDelivery | undefined>;
}

/** The oldest of these deliveries. */
export const oldestOf = (deliveries: readonly WaitingDelivery[]): WaitingDelivery | undefined =>
  deliveries.reduce<WaitingDelivery | undefined>(
    (oldest, one) => (oldest !== undefined && oldest.createdAt <= one.createdAt ? oldest : one),
    undefined,
  );
