import type { AttemptOutcome, Position, StreamName } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';

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
  /** Why it plans deliveries but sends none, which is no failure; absent if it sends. */
  readonly sendsNothing?: string;
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
  /** Age of the oldest change to an endpoint that it does not know yet; 0 if it knows all. */
  readonly endpointSeconds: number;
}

/** What to measure, at which time (in milliseconds since 1970). Undefined: the start of the log. */
interface LagOf {
  readonly log: Pick<EventLog, 'head' | 'readAll'>;
  /** The last position planned. */
  readonly planned: Position | undefined;
  /** How far the endpoints are followed. */
  readonly followed: Position | undefined;
  /** What the names of the endpoints' streams begin with. */
  readonly endpoints: StreamName;
  readonly now: number;
}

export const lagOf = async ({
  log,
  planned,
  followed,
  endpoints,
  now,
}: LagOf): Promise<DispatcherLag> => {
  const head = await log.head();
  const unread = async (after: Position | undefined, prefix?: StreamName) => {
    if (head === undefined || head === after) return undefined;
    const next = { after, batchSize: 1, ...(prefix !== undefined && { prefix }) };
    for await (const { events } of log.readAll(next)) if (events.length > 0) return events[0];
    return undefined;
  };
  const ageOf = (event: LoggedEvent | undefined): number =>
    event === undefined ? 0 : Math.max(0, (now - Date.parse(event.metadata.recorded_at)) / 1_000);
  const next = await unread(planned);
  return {
    positions: next === undefined ? 0n : BigInt(head ?? 0) - BigInt(planned ?? 0),
    seconds: ageOf(next),
    endpointSeconds: ageOf(await unread(followed, endpoints)),
  };
};
