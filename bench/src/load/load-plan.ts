import type { Latency } from './latency.js';

/** What a generator of load shall do. */
export interface LoadPlan {
  readonly origin: string;
  readonly key: string;
  readonly connections: number;
  readonly pace: Pace;
  readonly requests: Requests;
}

export type Pace =
  | { readonly kind: 'closed'; readonly seconds: number }
  | { readonly kind: 'closed'; readonly count: number }
  | { readonly kind: 'constant'; readonly perSecond: number; readonly seconds: number };

export type Requests = NewConversions | Reads;

/** Sales of these affiliates in turn; `prefix` begins every transaction id. */
export interface NewConversions {
  readonly kind: 'new conversions';
  readonly affiliateIds: readonly string[];
  readonly prefix: string;
  /** Answer when each was answered. */
  readonly keepAnswers?: boolean;
  /** After every so many writes, how long a read of another account takes that asks for the position of that write. */
  readonly readAfter?: { readonly every: number; readonly key: string; readonly path: string };
}

/** Reads of these in an order that looks random; every answer must be these bytes. */
export interface Reads {
  readonly kind: 'reads';
  readonly targets: readonly Target[];
}

export interface Target {
  readonly path: string;
  readonly body: string;
}

/** What came of it. Latencies in milliseconds: at a constant rate from when a request was due, else from when it was sent. */
export interface LoadReport {
  readonly answered: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** How many answers were not what they had to be, and the first of them. */
  readonly wrong: number;
  readonly firstWrong: string | undefined;
  readonly latency: Latency;
  readonly readAfter: Latency | undefined;
  /** Share of the time that the generator's event loop was busy: near 1 it measured itself. */
  readonly busy: number;
  readonly answers: readonly AnsweredWrite[];
}

export interface AnsweredWrite {
  readonly conversionId: string;
  /** On the machine's monotonic clock. */
  readonly at: number;
}
