import {
  comparePositions,
  type EndpointId,
  type EventPattern,
  type Payload,
  type Position,
} from '@refledger/contracts';

/** The events that an endpoint wants, and how much of each event's record. */
export interface Wants {
  readonly events: readonly EventPattern[];
  readonly payload: Payload;
  /** How deliveries are planned: none are while the endpoint is gone. */
  readonly planned: 'send' | 'hold' | 'not';
}

/** What each endpoint of an account wants at some position. */
export type Subscriptions = ReadonlyMap<EndpointId, Wants>;

/** A change to what an endpoint wants from `position` on. */
export interface SubscriptionChange {
  readonly position: Position;
  readonly endpoint: EndpointId;
  /** The members that change. Undefined: it was unsubscribed. */
  readonly changed: Partial<Wants> | undefined;
  /**
   * Whether the change subscribes the endpoint. Any other change to an endpoint that is not
   * subscribed has no effect.
   */
  readonly begins: boolean;
}

/**
 * What an account's endpoints want at each position since the oldest change kept. When positions
 * are asked for in ascending order, each change is applied only once.
 */
export class AccountHistory {
  /** State before the oldest change that is kept. */
  private readonly base = new Map<EndpointId, Wants>();
  private first: Link | undefined;
  private last: Link | undefined;
  /**
   * State after `applied`, which is one of the changes kept; the base when `applied` is undefined.
   */
  private current = this.base;
  private applied: Link | undefined;

  get isEmpty(): boolean {
    return this.base.size === 0 && this.first === undefined;
  }

  get oldest(): Position | undefined {
    return this.first?.change.position;
  }

  /** Adds a change. Its position must be above those of all earlier changes. */
  add(change: SubscriptionChange): void {
    const link: Link = { change, next: undefined };
    if (this.last === undefined) this.first = link;
    else this.last.next = link;
    this.last = link;
  }

  subscriptionsAt(position: Position): Subscriptions {
    const isAhead =
      this.applied !== undefined && comparePositions(this.applied.change.position, position) > 0;
    if (isAhead) this.restart();
    let next = this.applied === undefined ? this.first : this.applied.next;
    while (next !== undefined && comparePositions(next.change.position, position) <= 0) {
      if (this.current === this.base) this.current = new Map(this.base);
      apply(this.current, next.change);
      this.applied = next;
      next = next.next;
    }
    return this.current;
  }

  /**
   * Folds the oldest change into the base. No position before that change may be asked for
   * afterwards.
   */
  forgetOldest(): void {
    if (this.first === undefined) return;
    apply(this.base, this.first.change);
    // otherwise `applied` would keep every later change in memory
    if (this.applied === this.first) this.restart();
    this.first = this.first.next;
    if (this.first === undefined) this.last = undefined;
  }

  private restart(): void {
    this.applied = undefined;
    this.current = this.base;
  }
}

const nothing: Wants = { events: [], payload: 'full', planned: 'not' };

interface Link {
  readonly change: SubscriptionChange;
  next: Link | undefined;
}

const apply = (
  wants: Map<EndpointId, Wants>,
  { endpoint, changed, begins }: SubscriptionChange,
): void => {
  const before = wants.get(endpoint);
  if (changed === undefined) wants.delete(endpoint);
  else if (begins || before !== undefined)
    wants.set(endpoint, { ...nothing, ...before, ...changed });
};
