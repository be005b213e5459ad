import {
  comparePositions,
  type EndpointId,
  type EventKind,
  type Position,
} from '@refledger/contracts';

/**
 * The event kinds that each endpoint of an account wants at some position. A disabled endpoint
 * wants none.
 */
export type Wants = ReadonlyMap<EndpointId, ReadonlySet<EventKind>>;

/**
 * A change of an endpoint: the kinds that it wants from `position` on, or undefined if it was
 * unsubscribed.
 */
export interface WantsChange {
  readonly position: Position;
  readonly endpoint: EndpointId;
  readonly wants: ReadonlySet<EventKind> | undefined;
  /**
   * Whether the change subscribes the endpoint. Any other change of an endpoint that is not
   * subscribed has no effect.
   */
  readonly begins: boolean;
}

/**
 * What an account's endpoints want at each position since the oldest change kept. When positions
 * are asked for in rising order, each change is applied only once.
 */
export class AccountHistory {
  /** State before the oldest change that is kept. */
  private readonly base = new Map<EndpointId, ReadonlySet<EventKind>>();
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
  add(change: WantsChange): void {
    const link: Link = { change, next: undefined };
    if (this.last === undefined) this.first = link;
    else this.last.next = link;
    this.last = link;
  }

  at(position: Position): Wants {
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

interface Link {
  readonly change: WantsChange;
  next: Link | undefined;
}

const apply = (
  wants: Map<EndpointId, ReadonlySet<EventKind>>,
  { endpoint, wants: wanted, begins }: WantsChange,
): void => {
  if (wanted === undefined) wants.delete(endpoint);
  else if (begins || wants.has(endpoint)) wants.set(endpoint, wanted);
};
