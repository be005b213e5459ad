import type { DeliveryId, Position, ReplayId } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Delivery } from './delivery.js';
import type { Lease } from './lease.js';

/** A delivery as the planner makes it. */
export type PlannedDelivery = Pick<
  Delivery,
  | 'id'
  | 'accountId'
  | 'endpointId'
  | 'eventId'
  | 'eventType'
  | 'objectId'
  | 'trigger'
  | 'position'
  | 'decidedAt'
  | 'payload'
  | 'body'
  | 'reason'
> & {
  /**
   * `sending`: the endpoint's limit lets it go at once. The planner makes no bodies for those that
   * are held or canceled.
   */
  readonly status: 'sending' | 'waiting' | 'held' | 'canceled';
  /** The replay that makes it. */
  readonly replayId?: ReplayId | null;
};

/**
 * Whether a delivery that waits is not due until something other than time lets it go: tests are
 * claimed separately, and replays go after all others.
 */
export const waitsItsTurn = ({ trigger }: Pick<Delivery, 'trigger'>): boolean =>
  trigger === 'test' || trigger === 'replay';

/** The deliveries of a batch, and how far planning has got with it. */
export interface Plan {
  readonly deliveries: readonly PlannedDelivery[];
  /** The offset of the batch, stored together with the deliveries. It only rises. */
  readonly offset: Offset;
  /**
   * The last position planned, whichever bus it came from. It only rises; nothing at or below it is
   * planned again.
   */
  readonly floor: Position | undefined;
}

/** What the planner needs from a delivery store. */
export interface PlannerStore {
  offset(partition: string): Promise<Offset | undefined>;
  offsets(): Promise<readonly Offset[]>;
  /** The floor: nothing at or below it is planned again. */
  floor(): Promise<Position | undefined>;
  /**
   * Stores the deliveries that are new, the offset and the floor. Planning the same batch again is
   * safe. Resolves to the ids of the deliveries that this call inserted: the caller may send only
   * those. Throws `ForeignOffset` when the stored offset of this partition has another source.
   */
  plan(plan: Plan, lease: Lease): Promise<readonly DeliveryId[]>;
}

/**
 * A plan's offset is from a different source than the stored offset of that partition. Only
 * `resetOffsets` may change the source.
 */
export class ForeignOffset extends Error {
  constructor(
    readonly offset: Offset,
    readonly stored: Offset,
  ) {
    super(
      `the store's offset in ${stored.partition} belongs to ${stored.source}, but the plan's belongs to ${offset.source}`,
    );
    this.name = 'ForeignOffset';
  }
}
