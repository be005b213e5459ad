import type { Position } from '@refledger/contracts';
import type { AttemptOutcome } from './stores/delivery.js';
import type { EventLog } from '@refledger/event-log';

/** Receives the dispatcher's measurements. */
export interface DispatcherMetrics {
  /** Called for each attempt. */
  onAttempt(attempt: {
    readonly outcome: AttemptOutcome;
    readonly status: number | null;
    readonly durationMs: number;
  }): void;
  /**
   * Called for each delivery that succeeded. The latency runs from the recording of its event until
   * its outcome is durable, in milliseconds.
   */
  onDelivered(delivery: { readonly latencyMs: number }): void;
}

/** The dispatcher's state as operators and health checks see it. */
export interface DispatcherStatus {
  /**
   * `retrying`: deliveries go out, but following the events failed and is being retried, for
   * example because the bus or the store is unavailable. `stopped`: an operator must decide, and
   * `reason` says what.
   */
  readonly state: 'starting' | 'running' | 'retrying' | 'stopped' | 'closed';
  readonly reason?: string;
  /**
   * The last position planned. On a bus of many partitions, all dispatchers together have planned
   * up to it.
   */
  readonly position: Position | undefined;
  readonly inFlight: number;
}

/** How far the dispatcher is behind the head of the log. */
export interface DispatcherLag {
  readonly positions: bigint;
  /** Age of the oldest event that is not planned yet; 0 at the head. */
  readonly seconds: number;
}

/** How far `at` is behind the head of the log. Undefined means the start of the log. */
export const lagBehind = async (
  log: Pick<EventLog, 'head' | 'readAll'>,
  at: Position | undefined,
  now: number,
): Promise<DispatcherLag> => {
  const head = await log.head();
  if (head === undefined || head === at) return none;
  for await (const { events } of log.readAll({ after: at, batchSize: 1 })) {
    const [next] = events;
    if (next !== undefined)
      return {
        positions: BigInt(head) - BigInt(at ?? 0),
        seconds: Math.max(0, (now - Date.parse(next.metadata.recorded_at)) / 1_000),
      };
  }
  return none;
};

const none: DispatcherLag = { positions: 0n, seconds: 0 };
