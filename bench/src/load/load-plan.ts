import type { Latency } from './latency.js';

/** The load that a generator produces. */
export interface LoadPlan {
  readonly origin: string;
  readonly key: string;
  readonly connections: number;
  readonly rate: LoadShape;
  readonly requests: Requests;
}

/**
 * How requests are sent: in a closed loop, for a duration or a number of requests, or at a constant
 * rate.
 */
export type LoadShape =
  | { readonly kind: 'closed'; readonly seconds: number }
  | { readonly kind: 'closed'; readonly count: number }
  | { readonly kind: 'constant'; readonly perSecond: number; readonly seconds: number };

export type Requests = NewConversions | NewAffiliates | Exchanges;

/** Sales of these affiliates in turn. Every transaction id starts with `prefix`. */
export interface NewConversions {
  readonly kind: 'new conversions';
  readonly affiliateIds: readonly string[];
  readonly prefix: string;
  /**
   * Every sale names a customer: every other one a new customer, the others one of 500 known ones
   * (new in the first thousand sales).
   */
  readonly nameCustomers?: boolean;
  /** Reports when each write was answered. */
  readonly keepResponses?: boolean;
  /**
   * After every `every` writes, a reader of another account asks for the position of the last one;
   * the report says how long that takes.
   */
  readonly readAfter?: { readonly every: number; readonly key: string; readonly path: string };
}

/** Affiliates, each with another email address. Every name starts with `prefix`. */
export interface NewAffiliates {
  readonly kind: 'new affiliates';
  readonly prefix: string;
}

/**
 * Requests that change nothing, to these targets in pseudorandom order. Every response must have
 * exactly the bytes of its target.
 */
export interface Exchanges {
  readonly kind: 'exchanges';
  readonly targets: readonly Target[];
}

/** A path, and the body that its response must have. */
export interface Target {
  readonly path: string;
  readonly body: string;
  /** The JSON of a POST; a GET has none. */
  readonly sent?: string;
}

/**
 * The result of a plan. Latencies are in milliseconds: at a constant rate from when a request was
 * due, otherwise from when it was sent.
 */
export interface LoadReport {
  readonly answered: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** How many responses were wrong, and the first of them. */
  readonly wrong: number;
  readonly firstWrong: string | undefined;
  readonly latency: Latency;
  readonly readAfter: Latency | undefined;
  /** How busy the generator's event loop was, from 0 to 1. Near 1, the generator was the limit. */
  readonly busy: number;
  readonly responses: readonly AcknowledgedWrite[];
}

/** A write that was accepted, and when its response arrived. */
export interface AcknowledgedWrite {
  readonly conversionId: string;
  /** On the machine's monotonic clock. */
  readonly at: number;
}
