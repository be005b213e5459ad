import type { LoggedEvent } from '@refledger/event-log';
import { canonical, same } from '../canonical.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import { digest } from '../receipts.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each chapter of a balance is closed with the sums of its entries, and that the next
 * one begins with the same state and the same open entries (law L10).
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
  readonly amount: number;
  readonly payable_on: string;
  readonly adjustment_id: string | null;
  readonly chain: string;
  readonly state: State;
  readonly chapter: number;
  readonly buckets: readonly { readonly payable_on: string; readonly ranges: readonly Range[] }[];
}
interface State {
  readonly number: number;
  readonly chain: string;
  readonly earned: string;
  readonly adjusted: string;
}
interface Range {
  readonly amount: string;
  readonly count: number;
}

// decoding boundary: libs/contracts/src/aggregates/balance.ts has the schemas of these events
const dataOf = ({ data }: LoggedEvent): Data => data as Data;

/** The sum and number of the open entries of each day. */
type OpenDays = Map<string, { amount: bigint; count: number }>;

/** One balance, folded from the contract's text. Nothing is paid, so every entry is open. */
class Fold {
  private state: State;
  private closed: State | undefined;
  private chapter = -1;
  private readonly open: OpenDays = new Map();
  private isComplete = false;
  /** What the chapter has taken over, until its first entry is posted. */
  private carried: OpenDays = new Map();

  constructor(id: string) {
    this.state = { number: 0, earned: '0', adjusted: '0', chain: digest(id) };
  }

  take(event: LoggedEvent): string[] {
    const data = dataOf(event);
    switch (event.type) {
      case 'balance.opened':
        return this.opened(data);
      case 'balance.carried':
        for (const { payable_on, ranges } of data.buckets)
          for (const { amount, count } of ranges)
            add(this.carried, payable_on, { amount: BigInt(amount), count });
        return [];
      case 'balance.posted':
        return this.posted(data);
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
        `chapter ${chapter} begins with a different state from the one that the previous chapter ended with`,
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
      number,
      earned: isEarned ? `${BigInt(earned) + BigInt(amount)}` : earned,
      adjusted: isEarned ? adjusted : `${BigInt(adjusted) + BigInt(amount)}`,
      chain,
    };
    add(this.open, payable_on, { amount: BigInt(amount), count: 1 });
    return faults;
  }

  /** What a new chapter lacks once its first entry is posted. */
  private notCarried(): string[] {
    const { carried, isComplete } = this;
    this.isComplete = true;
    if (isComplete || same(inWords(carried), inWords(this.open))) return [];
    return [
      `chapter ${this.chapter} takes over ${canonical(inWords(carried))}, but ${canonical(inWords(this.open))} is open`,
    ];
  }

  private unlike(state: State, what: string): string[] {
    const { number, earned, adjusted, chain } = state;
    return same({ number, earned, adjusted, chain }, this.state)
      ? []
      : [
          `chapter ${this.chapter} ${what} with ${canonical(state)}, but its entries result in ${canonical(this.state)}`,
        ];
  }
}

const add = (days: OpenDays, day: string, { amount, count }: { amount: bigint; count: number }) => {
  const before = days.get(day) ?? { amount: 0n, count: 0 };
  days.set(day, { amount: before.amount + amount, count: before.count + count });
};

const inWords = (days: OpenDays): object =>
  Object.fromEntries([...days].map(([day, { amount, count }]) => [day, `${amount} in ${count}`]));
