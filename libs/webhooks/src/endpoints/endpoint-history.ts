import { accountOf, comparePositions } from '@refledger/contracts';
import type {
  AccountId,
  EndpointFields,
  EndpointId,
  EventKind,
  Payload,
  Position,
} from '@refledger/contracts';
import type { EndpointEvent } from './endpoint-version.js';

/**
 * What the endpoints of all accounts want at each position that may still be planned. It holds the
 * endpoints as they are at the floor, at most 100 per account, and the changes after the floor.
 */
export class EndpointHistory {
  private readonly accounts = new Map<AccountId, AccountHistory>();
  /** The account of each change, oldest first. Entries before index `done` are forgotten. */
  private order: AccountId[] = [];
  private done = 0;
  private last: Position | undefined;
  private floor: Position | undefined;
  private forgotten: Position | undefined;

  /** The number of changes kept, over all accounts. */
  get kept(): number {
    return this.order.length - this.done;
  }

  get accountCount(): number {
    return this.accounts.size;
  }

  /** Adds an event. Events come in log order; an event that was already added is ignored. */
  add(event: EndpointEvent): void {
    if (isAtOrBelow(event.position, this.last)) return;
    this.last = event.position;
    const id = accountOf(event);
    const account = this.accounts.get(id) ?? new AccountHistory();
    this.accounts.set(id, account);
    const change = changeBy(event);
    if (change !== undefined) {
      account.add(change);
      this.order.push(id);
    }
    this.forgetUpTo(this.floor);
  }

  /**
   * What the account's endpoints want at a position above the floor. Throws for a forgotten
   * position, since a wrong answer would plan deliveries that no endpoint wanted.
   */
  at(account: AccountId, position: Position): Subscriptions {
    if (this.forgotten !== undefined && comparePositions(position, this.forgotten) < 0) {
      throw new Error(
        `the endpoint history no longer covers position ${position}, which is planned already`,
      );
    }
    return this.accounts.get(account)?.at(position) ?? none;
  }

  /**
   * Whether every position above this floor is still known. An undefined floor means all positions.
   */
  isWholeAbove(floor: Position | undefined): boolean {
    return this.forgotten === undefined || isAtOrBelow(this.forgotten, floor);
  }

  /** Forgets all positions at or below the floor. */
  forgetUpTo(floor: Position | undefined): void {
    this.floor = floor;
    for (; this.done < this.order.length; this.done++) {
      const id = this.order[this.done];
      const account = id && this.accounts.get(id);
      if (id === undefined || account?.oldest === undefined || !isAtOrBelow(account.oldest, floor))
        break;
      this.forgotten = account.oldest;
      account.forgetOldest();
      if (account.isEmpty) this.accounts.delete(id);
    }
    if (this.done * 2 <= this.order.length) return;
    this.order = this.order.slice(this.done);
    this.done = 0;
  }
}

/** What an event changes about the kinds that its endpoint wants; undefined if nothing. */
const changeBy = (event: EndpointEvent): SubscriptionChange | undefined => {
  const { type, position } = event;
  const endpoint = event.data.endpoint_id;
  const begins = type === 'webhook.subscribed';
  switch (type) {
    case 'webhook.subscribed':
      return { position, endpoint, wants: wantsOf(event.data.fields), begins };
    case 'webhook.updated': {
      const { fields, status } = event.data;
      return {
        position,
        endpoint,
        wants: status === 'enabled' ? wantsOf(fields) : nothing,
        begins,
      };
    }
    case 'webhook.secret_rotated':
      return undefined;
    case 'webhook.disabled':
      return { position, endpoint, wants: nothing, begins };
    case 'webhook.unsubscribed':
      return { position, endpoint, wants: undefined, begins };
  }
};

const wantsOf = ({ events, payload }: EndpointFields): Wants => ({ kinds: events, payload });

const nothing: Wants = { kinds: [], payload: 'full' };

const none: Subscriptions = new Map();

const isAtOrBelow = (position: Position, floor: Position | undefined): boolean =>
  floor !== undefined && comparePositions(position, floor) <= 0;

/** The event kinds that an endpoint wants, and how much of each event's record. */
export interface Wants {
  readonly kinds: readonly EventKind[];
  readonly payload: Payload;
}

/**
 * What each endpoint of an account wants at some position. A disabled endpoint wants no kinds.
 */
export type Subscriptions = ReadonlyMap<EndpointId, Wants>;

/**
 * A change to an endpoint: what it wants from `position` on, or undefined if it was unsubscribed.
 */
export interface SubscriptionChange {
  readonly position: Position;
  readonly endpoint: EndpointId;
  readonly wants: Wants | undefined;
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

  at(position: Position): Subscriptions {
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
  readonly change: SubscriptionChange;
  next: Link | undefined;
}

const apply = (
  wants: Map<EndpointId, Wants>,
  { endpoint, wants: wanted, begins }: SubscriptionChange,
): void => {
  if (wanted === undefined) wants.delete(endpoint);
  else if (begins || wants.has(endpoint)) wants.set(endpoint, wanted);
};
