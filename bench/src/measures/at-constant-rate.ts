import type { Bench } from '../bench.js';
import type { Figures } from '../row.js';
import type { Api } from '../service/api.js';

/** Measures a latency of a service while sales come at a constant rate. */
export type AtConstantRate = (
  bench: Bench,
  service: Api,
  perSecond: number,
) => Promise<{
  /** The percentiles p50, p95 and p99 over `seconds`. */
  percentiles(seconds: number): Promise<Figures>;
  /** Throws unless every sale so far is counted exactly once. */
  expectAllCounted(): Promise<void>;
}>;
