import type { LoggedEvent } from '@refledger/event-log';
import { canonical, same } from '../canonical.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import { digest } from '../receipts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each chapter of a balance is closed with the sums of its entries and payouts, and
 * that the next one starts with the same state and the same open entries (law L10).
 */
export const compareChapters = ({ history }: Pick<Facts, 'history'>): Comparison => {
  const balances = grouped(history.postings, (event) => dataOf(event).balance_id);
  return {
    claim: 'chapters continue each other',
    figures: {
      chapters: history.postings.filter(({ type }) => type === 'balance.opened').length,
      closed: history.postings.filter(({ type }) => type === 'balance.closed').length,
    },
    differences: [...balances].flatMap(([id, events]) => {
      const fold = new Fold(id);
      return events.flatMap((event) =>
        fold.take(event).map((fault) => `${id} at position ${event.position}: ${fault}`),
      );
    }),
  };
};

interface Data {
  readonly balance_id: string;
  readonly number: number;
  readonly amount: number | string;
  readonly payable_on: string;
  readonly payout_id: string;
  readonly payout_number: number;
  readonly was: 'open' | 'paid';
  readonly adjustment_id: string | null;
  readonly chain: string;
  readonly state: State;
  readonly chapter: number;
  readonly buckets: readonly { readonly payable_on: string; readonly ranges: readonly Range[] }[];
}
interface State {
  readonly number: number;
  readonly payouts: number;
  readonly chain: string;
  readonly earned: string;
  readonly adjusted: string;
  readonly paid: string;
  readonly in_flight: Readonly<Record<string, InFlight>>;
}
interface InFlight {
  readonly amount: string;
  readonly chapter: number;
  readonly revision: number;
}
interface Range {
  readonly amount: string;
  readonly count: number;
}

// decoding boundary: libs/contracts/src/balances/balance.events.ts has the schemas of these events
const dataOf = ({ data }: LoggedEvent): Data => data as Data;

/** The sum and number of the open entries of each day. */
type OpenDays = Map<string, { amount: bigint; count: number }>;

/** One balance, folded from the contract's text. */
class Fold {
  private state: State;
  private closed: State | undefined;
  private chapter = -1;
  private readonly open: OpenDays = new Map();
  private isComplete = false;
  /** The state that the chapter has taken over, until its first entry is posted. */
  private carried: OpenDays = new Map();

  constructor(id: string) {
    const sums = { earned: '0', adjusted: '0', paid: '0' };
    this.state = { number: 0, payouts: 0, ...sums, in_flight: {}, chain: digest(id) };
  }

  take(event: LoggedEvent): string[] {
    const data = dataOf(event);
    switch (event.type) {
      case 'balance.opened':
        return this.opened(data);
      case 'balance.carried':
        addAll(this.carried, data, 1);
        return [];
      case 'balance.posted':
        return this.posted(data);
      case 'balance.reserved':
        return this.reserved(data, event.revision);
      case 'balance.settled':
      case 'balance.released':
        return this.ended(data, event.type);
      case 'balance.closed':
        this.closed = data.state;
        return this.unlike(data.state, 'is closed');
      default:
        return [`${event.type} is not one of the ledger's events`];
    }
  }

  private opened({ chapter, state }: Data): string[] {
    const faults =
      chapter === this.chapter + 1 ? [] : [`chapter ${chapter} follows ${this.chapter}`];
    if (this.chapter >= 0 && !same(state, this.closed))
      faults.push(
        `chapter ${chapter} starts with a different state from the one that the previous chapter ended with`,
      );
    this.chapter = chapter;
    this.carried = new Map();
    this.isComplete = false;
    return [...faults, ...this.unlike(state, 'begins')];
  }

  private posted({ number, amount, payable_on, adjustment_id, chain }: Data): string[] {
    const faults = this.notCarried();
    const { earned, adjusted } = this.state;
    if (number !== this.state.number + 1)
      faults.push(`entry ${number} follows ${this.state.number}`);
    const isEarned = adjustment_id === null;
    this.state = {
      ...this.state,
      number,
      earned: isEarned ? `${BigInt(earned) + BigInt(amount)}` : earned,
      adjusted: isEarned ? adjusted : `${BigInt(adjusted) + BigInt(amount)}`,
      chain,
    };
    add(this.open, payable_on, { amount: BigInt(amount), count: 1 });
    return faults;
  }

  private reserved(data: Data, revision: number): string[] {
    const faults = this.notCarried();
    const { payout_id, payout_number, amount, chain } = data;
    if (payout_number !== this.state.payouts + 1)
      faults.push(`payout ${payout_number} follows ${this.state.payouts}`);
    if (payout_id in this.state.in_flight) faults.push(`${payout_id} is reserved twice`);
    const reservation = { amount: `${amount}`, chapter: this.chapter, revision };
    const in_flight = { ...this.state.in_flight, [payout_id]: reservation };
    this.state = { ...this.state, payouts: payout_number, in_flight, chain };
    const taken = addAll(this.open, data, -1);
    if (taken !== BigInt(amount)) faults.push(`${payout_id} is ${amount}, but takes ${taken}`);
    const overdrawn = [...this.open].find(([, { count }]) => count < 0);
    if (overdrawn !== undefined)
      faults.push(`${payout_id} takes more than is open for ${overdrawn[0]}`);
    return faults;
  }

  private ended(data: Data, type: string): string[] {
    const faults = this.notCarried();
    const { payout_id, amount, was, chain } = data;
    const { [payout_id]: reservation, ...in_flight } = this.state.in_flight;
    const fromPaid = type === 'balance.released' && was === 'paid';
    if ((reservation === undefined) !== fromPaid)
      faults.push(`${payout_id} has ${type}, but is ${reservation ? '' : 'not '}in flight`);
    if (reservation !== undefined && reservation.amount !== amount)
      faults.push(`${payout_id} has ${type} of ${amount}, but is ${reservation.amount}`);
    let paid = BigInt(this.state.paid);
    if (type === 'balance.settled') paid += BigInt(amount);
    else {
      if (fromPaid) paid -= BigInt(amount);
      const returned = addAll(this.open, data, 1);
      if (returned !== BigInt(amount))
        faults.push(`${payout_id} is ${amount}, but returns ${returned}`);
    }
    this.state = { ...this.state, in_flight, paid: `${paid}`, chain };
    return faults;
  }

  /**
   * The fields that a new chapter lacks once its first entry is posted, or its first payout
   * changes.
   */
  private notCarried(): string[] {
    const { carried, isComplete } = this;
    this.isComplete = true;
    if (isComplete || same(inWords(carried), inWords(this.open))) return [];
    return [
      `chapter ${this.chapter} takes over ${canonical(inWords(carried))}, but ${canonical(inWords(this.open))} is open`,
    ];
  }

  private unlike(state: State, what: string): string[] {
    const { number, payouts, earned, adjusted, paid, in_flight, chain } = state;
    return same({ number, payouts, earned, adjusted, paid, in_flight, chain }, this.state)
      ? []
      : [
          `chapter ${this.chapter} ${what} with ${canonical(state)}, but its entries result in ${canonical(this.state)}`,
        ];
  }
}

const add = (days: OpenDays, day: string, { amount, count }: { amount: bigint; count: number }) => {
  const before = days.get(day) ?? { amount: 0n, count: 0 };
  const after = { amount: before.amount + amount, count: before.count + count };
  if (after.count === 0 && after.amount === 0n) days.delete(day);
  else days.set(day, after);
};

/** Adds the ranges, or with -1 takes them away. Returns their sum. */
const addAll = (days: OpenDays, { buckets }: Data, sign: 1 | -1): bigint => {
  let sum = 0n;
  for (const { payable_on, ranges } of buckets)
    for (const { amount, count } of ranges) {
      add(days, payable_on, { amount: BigInt(sign) * BigInt(amount), count: sign * count });
      sum += BigInt(amount);
    }
  return sum;
};

const inWords = (days: OpenDays): object =>
  Object.fromEntries([...days].map(([day, { amount, count }]) => [day, `${amount} in ${count}`]));
