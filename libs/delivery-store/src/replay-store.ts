import type {
  AccountId,
  EndpointId,
  PublicEventType,
  LogId,
  Position,
  PublicEventId,
  ReplayId,
  ReplayScope,
  ReplayStatus,
} from '@refledger/contracts';
import type { DeliverySummary } from './delivery.js';
import type { Lease } from './lease.js';
import type { PlannedDelivery } from './planner-store.js';

/** Events of an account that are sent to one of its endpoints again. Instants are RFC 3339. */
export interface Replay {
  readonly id: ReplayId;
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  /** The log that its positions belong to. */
  readonly logId: LogId;
  /** Events after this position. `0`: from the beginning of the log. */
  readonly since: Position;
  /** Events up to this position. */
  readonly until: Position;
  /** Only events of these kinds. Null: of all kinds that the endpoint wants. */
  readonly types: readonly PublicEventType[] | null;
  readonly only: ReplayScope;
  readonly status: ReplayStatus;
  /** Everything up to here has been read. `since` at first. */
  readonly at: Position;
  /** How far the endpoint was known in the log when the replay was requested. */
  readonly decidedAt: Position;
  /** How many deliveries were made, and how many of these succeeded or failed. */
  readonly planned: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Whether the counts are final: the replay and all its deliveries have ended. */
  readonly isSettled: boolean;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export type RequestedReplay = Omit<
  Replay,
  'status' | 'at' | 'planned' | 'succeeded' | 'failed' | 'isSettled' | 'finishedAt'
>;

/** The next deliveries of a running replay, and how far it has got with them. */
export interface ReplayStep {
  readonly replay: Pick<Replay, 'id' | 'at'>;
  readonly deliveries: readonly PlannedDelivery[];
  /** Everything up to here was read. */
  readonly reached: Position;
  /** Whether that is all. */
  readonly isLast: boolean;
}

/** The replay that exists after a request to begin one. */
export interface ReplayStart {
  readonly replay: Replay;
  /** Whether this request has begun it. */
  readonly isNew: boolean;
}

/** Replays, as the API asks for them. */
export interface ReplayRequests {
  /** Begins a replay, unless one with its id exists or another to the same endpoint is running. */
  beginReplay(replay: RequestedReplay): Promise<ReplayStart>;
  /** Stops a replay if it is running. What is planned stays. */
  stopReplay(replay: ReplayId, now: string): Promise<void>;
}

/** Replays, as the API shows them. */
export interface ReplayReader {
  replay(id: ReplayId): Promise<Replay | undefined>;
  /** Replays of an endpoint in the order of `createdAt` and id, after a given replay. */
  replays(query: ReplayQuery): Promise<readonly Replay[]>;
}

export interface ReplayQuery {
  readonly endpointId: EndpointId;
  readonly descending: boolean;
  /** Both exclude their instant. */
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** The last replay of the page before this one. */
  readonly after?: readonly [createdAt: string, id: ReplayId] | undefined;
  readonly limit: number;
}

/** What the dispatcher needs to make the deliveries of replays. */
export interface ReplayStore extends ReplayRequests, ReplayReader {
  /**
   * Takes or renews the right to work on replays, which one dispatcher has at a time. Resolves to
   * whether this one has it.
   */
  leaseReplays(lease: Lease): Promise<boolean>;
  /** Gives up this dispatcher's right, so that another one need not wait until it ends. */
  releaseReplays(holder: string): Promise<void>;
  /** Whether any replay runs, or has deliveries that have not ended. */
  hasUnsettledReplays(): Promise<boolean>;
  /** The replays that run, oldest first. */
  runningReplays(): Promise<readonly Replay[]>;
  /**
   * Stores the deliveries that are new, and the replay's progress. Without effect if the replay no
   * longer runs, or has got further meanwhile. Resolves to whether it had an effect.
   */
  planReplay(step: ReplayStep, now: string): Promise<boolean>;
  /**
   * Brings the counts of at most `limit` replays up to date, those that were counted longest ago
   * first. They are final once a replay and all its deliveries have ended.
   */
  countReplays(now: string, limit: number): Promise<void>;
  /** How many deliveries of a replay wait, for their turn or for a retry. Counts up to `limit`. */
  countWaiting(replay: ReplayId, limit: number): Promise<number>;
  /** How many deliveries of replays to this endpoint wait for their turn. Counts up to `limit`. */
  countReplaying(endpoint: EndpointId, limit: number): Promise<number>;
  /**
   * Removes at most `limit` replays that ended before an instant, and all of whose deliveries were
   * removed. Resolves to the number removed.
   */
  expireReplays(before: string, limit: number): Promise<number>;
  /** The endpoints with deliveries of replays that wait for their turn. */
  endpointsReplaying(): Promise<readonly EndpointId[]>;
  /** What is known of the deliveries of these events to this endpoint, each once, except tests. */
  deliveriesOf(
    endpoint: EndpointId,
    events: readonly PublicEventId[],
  ): Promise<readonly DeliveryOfEvent[]>;
}

/** What a replay asks of the deliveries of an event. */
export type DeliveryOfEvent = Pick<DeliverySummary, 'eventId' | 'status' | 'replayId'>;
