import type { Position } from '@refledger/contracts';
import type { AttemptOutcome } from './stores/delivery-store.js';

/** Where its figures go. */
export interface DispatcherMetrics {
  /** One request, or one attempt that was canceled before it was sent. */
  onAttempt(attempt: {
    readonly outcome: AttemptOutcome;
    readonly status: number | null;
    readonly durationMs: number;
  }): void;
  /** A delivery that succeeded: from its event being recorded to its outcome being durable. */
  onDelivered(delivery: { readonly latencyMs: number }): void;
}

export interface DispatcherStatus {
  /** `retrying`: it sends, but the bus or the store is away; `stopped`: an operator must decide; `reason` says what about. */
  readonly state: 'starting' | 'running' | 'retrying' | 'stopped' | 'closed';
  readonly reason?: string;
  /** The last position dealt with; on a bus of many partitions, by all dispatchers together. */
  readonly position: Position | undefined;
  readonly inFlight: number;
}

/** How far the dispatcher is behind the head of the log. */
export interface DispatcherLag {
  readonly positions: bigint;
  /** Age of the oldest event that was not dealt with; 0 at the head. */
  readonly seconds: number;
}
