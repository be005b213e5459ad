import {
  comparePositions,
  type EndpointId,
  type EventKind,
  type Position,
} from '@refledger/contracts';

/** What each endpoint of an account wants, at some position: nothing when it is disabled. */
export type Wants = ReadonlyMap<EndpointId, ReadonlySet<EventKind>>;

/** From a position on an endpoint wants these kinds, or is there no more (undefined). */
export interface WantsChange {
  readonly position: Position;
  readonly endpoint: EndpointId;
  readonly wants: ReadonlySet<EventKind> | undefined;
  /** It is there from now on. A change of one that isn't there changes nothing. */
  readonly begins: boolean;
}

/**
 * What an account's endpoints want at each position from its oldest change on. Asked for rising
 * positions each change is applied once, however many there are.
 */
export class AccountHistory {
  /** Before the oldest change that is kept. */
  private readonly base = new Map<EndpointId, ReadonlySet<EventKind>>();
  private first: Link | undefined;
  private last: Link | undefined;
  /** After `applied`, which is one of the changes that are kept; the base when there is none. */
  private current = this.base;
  private applied: Link | undefined;

  get isEmpty(): boolean {
    return this.base.size === 0 && this.first === undefined;
  }

  get oldest(): Position | undefined {
    return this.first?.change.position;
  }

  /** Comes after every change before it. */
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

  /** No position before the oldest change is asked for any more. */
  forgetOldest(): void {
    if (this.first === undefined) return;
    apply(this.base, this.first.change);
    // or else it would keep every later change in memory
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
