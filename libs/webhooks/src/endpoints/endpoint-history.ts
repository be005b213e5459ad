import {
  comparePositions,
  eventKinds,
  type AccountId,
  type EventKind,
  type Position,
} from '@refledger/contracts';
import { AccountHistory, type Wants, type WantsChange } from './account-history.js';
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
  private readonly kinds = new Map<string, ReadonlySet<EventKind>>();

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
    const id = event.metadata.account_id as AccountId;
    const account = this.accounts.get(id) ?? new AccountHistory();
    this.accounts.set(id, account);
    account.add(this.changeBy(event));
    this.order.push(id);
    this.forgetUpTo(this.floor);
  }

  /**
   * What the account's endpoints want at a position above the floor. Throws for a forgotten
   * position, since a wrong answer would plan deliveries that no endpoint wanted.
   */
  at(account: AccountId, position: Position): Wants {
    if (this.forgotten !== undefined && comparePositions(position, this.forgotten) < 0) {
      throw new Error(
        `what endpoints wanted at position ${position} is forgotten, since it was planned`,
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

  private changeBy(event: EndpointEvent): WantsChange {
    const {
      type,
      position,
      data: { endpoint_id: endpoint },
    } = event;
    const begins = type === 'webhook.subscribed';
    switch (type) {
      case 'webhook.subscribed':
      case 'webhook.updated':
        return { position, endpoint, wants: this.sharedSet(event.data.fields.events), begins };
      case 'webhook.disabled':
        return { position, endpoint, wants: nothing, begins };
      case 'webhook.unsubscribed':
        return { position, endpoint, wants: undefined, begins };
    }
  }

  /** Versions that want the same kinds share one set. */
  private sharedSet(events: readonly EventKind[]): ReadonlySet<EventKind> {
    const kinds = eventKinds.filter((kind) => events.includes(kind));
    const name = kinds.join();
    const known = this.kinds.get(name) ?? new Set(kinds);
    if (this.kinds.size >= mostSets) this.kinds.clear();
    this.kinds.set(name, known);
    return known;
  }
}

const mostSets = 1_000;
const none: Wants = new Map();
const nothing: ReadonlySet<EventKind> = new Set();

const isAtOrBelow = (position: Position, floor: Position | undefined): boolean =>
  floor !== undefined && comparePositions(position, floor) <= 0;
