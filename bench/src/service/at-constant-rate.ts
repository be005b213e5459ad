import type { Bench } from '../bench.js';
import type { Figures } from '../row.js';
import type { Api } from './api.js';

/** Measures something of a service while sales come at a constant rate. */
export type AtConstantRate = (
  bench: Bench,
  service: Api,
  perSecond: number,
) => Promise<{
  /** Its percentiles over so many seconds: p50, p95, p99. */
  percentiles(seconds: number): Promise<Figures>;
  /** Throws unless every sale so far is counted, once. */
  expectAllCounted(): Promise<void>;
}>;
