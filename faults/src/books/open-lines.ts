import type { LoggedEvent } from '@refledger/event-log';
import type { Entry } from '@refledger/testing';
import type { History } from '../history.js';
import { grouped } from '../grouped.js';

/** An entry as the log has it. */
export type Line = Pick<Entry, 'number' | 'payable_on' | 'kind' | 'amount' | 'conversion_id'>;

/** The entries that a payout took from its balance. */
export interface Reservation {
  readonly payout_id: string;
  readonly balance_id: string;
  readonly until: string;
  readonly lines: readonly Line[];
  /** The entries that were open just before it and payable by its day. */
  readonly due: readonly Line[];
  /** The number of the last entry before it. */
  readonly last: number;
}

/** The events of balances by balance, in the order of the log. */
export const postingsByBalance = ({
  postings,
}: Pick<History, 'postings'>): ReadonlyMap<string, readonly LoggedEvent[]> =>
  grouped(postings, (event) => dataOf(event).balance_id);

/** Every reservation in the log, including those that never became a payout. */
export const reservationsOf = (history: Pick<History, 'postings'>): readonly Reservation[] =>
  [...postingsByBalance(history).values()].flatMap((events) => {
    const balance = new OpenLines();
    return events.flatMap((event) => {
      const found = event.type === 'balance.reserved' ? [reservationIn(balance, event)] : [];
      balance.take(event);
      return found;
    });
  });

const reservationIn = (balance: OpenLines, event: LoggedEvent): Reservation => {
  const { payout_id, balance_id, until, buckets } = dataOf(event);
  return {
    payout_id,
    balance_id,
    until,
    lines: balance.linesIn(buckets),
    due: balance.dueBy(until),
    last: balance.last,
  };
};

/** The reservations that became payouts, by the payout's id. */
export const reservedPayouts = (
  history: Pick<History, 'postings' | 'versions'>,
): ReadonlyMap<string, Reservation> =>
  new Map(
    reservationsOf(history)
      .filter(({ payout_id, balance_id }) => {
        const record = history.versions.get(payout_id)?.[0]?.record;
        return record?.object === 'payout' && record.balance_id === balance_id;
      })
      .map((reservation) => [reservation.payout_id, reservation]),
  );

/** The open entries of one balance, folded from the contract's text. */
export class OpenLines {
  /** By number. */
  private readonly open = new Map<number, Line>();
  private readonly days = new Map<string, Line[]>();
  last = 0;

  take(event: LoggedEvent): void {
    const data = dataOf(event);
    switch (event.type) {
      case 'balance.posted':
        return this.post(data);
      case 'balance.reserved':
        return this.linesIn(data.buckets).forEach(({ number }) => this.open.delete(number));
      case 'balance.released':
        return this.linesIn(data.buckets).forEach((line) => this.open.set(line.number, line));
    }
  }

  /** The entries that are open and payable on this day. */
  dueBy(day: string): readonly Line[] {
    return [...this.open.values()].filter(({ payable_on }) => payable_on <= day);
  }

  /** The entries of each day with the numbers of its ranges. */
  linesIn(buckets: readonly Bucket[]): readonly Line[] {
    return buckets.flatMap(({ payable_on, ranges }) =>
      (this.days.get(payable_on) ?? []).filter(({ number }) =>
        ranges.some(({ from, to }) => from <= number && number <= to),
      ),
    );
  }

  private post({ number, payable_on, kind, amount, conversion_id }: Data): void {
    const line = { number, payable_on, kind, amount, conversion_id };
    this.open.set(number, line);
    this.last = number;
    const day = this.days.get(payable_on);
    if (day === undefined) this.days.set(payable_on, [line]);
    else day.push(line);
  }
}

interface Bucket {
  readonly payable_on: string;
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

interface Data extends Line {
  readonly balance_id: string;
  readonly payout_id: string;
  readonly until: string;
  readonly buckets: readonly Bucket[];
}

// decoding boundary: libs/contracts/src/balances/balance.events.ts has the schemas of these events
const dataOf = ({ data }: LoggedEvent): Data => data as Data;
