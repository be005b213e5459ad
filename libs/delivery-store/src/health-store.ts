import type { EndpointId, Position } from '@refledger/contracts';

/** Attempts to an endpoint that failed in a row, without a success. */
export interface FailingSeries {
  /** The `seriesFrom` of the endpoint's version. A series of another version no longer counts. */
  readonly from: Position;
  /** When its first attempt failed (RFC 3339). */
  readonly since: string;
  /** How many attempts have failed, as far as that matters. */
  readonly failures: number;
}

/** What a delivery store keeps of the health of endpoints. It may be a step behind after a kill. */
export interface HealthStore {
  series(endpoint: EndpointId): Promise<FailingSeries | undefined>;
  keepSeries(endpoint: EndpointId, series: FailingSeries): Promise<void>;
  endSeries(endpoint: EndpointId): Promise<void>;
  /** The endpoints that have a series. */
  endpointsInSeries(): Promise<readonly EndpointId[]>;
  /**
   * Whether a delivery to this endpoint has succeeded after an instant, and not later than now: a
   * later success was recorded while a clock was ahead, and may be long ago.
   */
  succeededSince(endpoint: EndpointId, after: string, now: string): Promise<boolean>;
}
