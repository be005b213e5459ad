import { accountOf, comparePositions, matchesKind } from '@refledger/contracts';
import type {
  AccountId,
  EndpointFields,
  EndpointId,
  PublicEventType,
  Payload,
  Position,
} from '@refledger/contracts';
import {
  AccountHistory,
  type SubscriptionChange,
  type Subscriptions,
  type Wants,
} from './account-history.js';
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
  get size(): number {
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
  subscriptionsAt(account: AccountId, position: Position): Subscriptions {
    if (this.forgotten !== undefined && comparePositions(position, this.forgotten) < 0) {
      throw new Error(
        `the endpoint history no longer covers position ${position}, which is planned already`,
      );
    }
    return this.accounts.get(account)?.subscriptionsAt(position) ?? none;
  }

  /**
   * The endpoints of the account that want this kind of event at its position, which must be above
   * the floor. None of them wants an event about itself.
   */
  matching({ accountId, type, position, objectId }: EventToMatch): readonly Match[] {
    const matching: Match[] = [];
    for (const [endpointId, { events, payload, planned }] of this.subscriptionsAt(
      accountId,
      position,
    ))
      if (planned !== 'not' && endpointId !== objectId && matchesKind(events, type))
        matching.push({ endpointId, payload, isHeld: planned === 'hold' });
    return matching;
  }

  /**
   * Whether every position above this floor is still known. An undefined floor means all positions.
   */
  isCompleteAbove(floor: Position | undefined): boolean {
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

/** What decides which endpoints want an event. */
export interface EventToMatch {
  readonly accountId: AccountId;
  readonly type: PublicEventType;
  readonly position: Position;
  /** The id of the record that the event is about; it matters only if that is an endpoint. */
  readonly objectId: string | undefined;
}

/** An endpoint that wanted an event, how much of the event's record, and whether it was held. */
export interface Match {
  readonly endpointId: EndpointId;
  readonly payload: Payload;
  readonly isHeld: boolean;
}

/** What an event changes about the events that its endpoint wants; undefined if nothing. */
const changeBy = (event: EndpointEvent): SubscriptionChange | undefined => {
  const { type, position } = event;
  const endpoint = event.data.endpoint_id;
  const begins = type === 'webhook.subscribed';
  if (isNoChange(event)) return undefined;
  const changed = event.type === 'webhook.unsubscribed' ? undefined : changedBy(event);
  return { position, endpoint, begins, changed };
};

type NoChange = Extract<
  EndpointEvent,
  { type: 'webhook.secret_rotated' | 'webhook.failing' | 'webhook.recovered' }
>;

const isNoChange = (event: EndpointEvent): event is NoChange =>
  event.type === 'webhook.secret_rotated' ||
  event.type === 'webhook.failing' ||
  event.type === 'webhook.recovered';

type ChangingEvent = Exclude<EndpointEvent, NoChange | { type: 'webhook.unsubscribed' }>;

/** What an event changes about what its endpoint wants. */
const changedBy = (event: ChangingEvent): Partial<Wants> => {
  switch (event.type) {
    case 'webhook.subscribed':
    case 'webhook.enabled':
      return { ...wantedBy(event.data.fields), planned: 'send' };
    case 'webhook.paused':
      return { ...wantedBy(event.data.fields), planned: 'hold' };
    case 'webhook.updated':
      return wantedBy(event.data.fields);
    case 'webhook.disabled':
      return { planned: event.data.reason === 'gone' ? 'not' : 'hold' };
  }
};

const wantedBy = ({ events, payload }: EndpointFields) => ({ events, payload });

const none: Subscriptions = new Map();

const isAtOrBelow = (position: Position, floor: Position | undefined): boolean =>
  floor !== undefined && comparePositions(position, floor) <= 0;
