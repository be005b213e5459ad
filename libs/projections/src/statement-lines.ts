import type { BalanceEvent, EntryKind } from '@refledger/contracts';

export const statementSums = [
  'commission',
  'correction',
  'reversal',
  'adjustment',
  'paid',
  'returned',
] as const;
export type StatementSum = (typeof statementSums)[number];

/** A line of a statement: the change in what is owed, in the minor unit of the currency. */
export interface StatementAmount {
  readonly kind: EntryKind | 'paid' | 'returned';
  /** The sum that it belongs to. */
  readonly sum: StatementSum;
  readonly amount: number | bigint;
}

/**
 * Returns the line that an event of a balance adds to a statement; undefined if it adds none.
 * Nothing else changes what is owed: a payout that was never completed leaves it as it was.
 */
export const lineOf = ({ type, data }: BalanceEvent): StatementAmount | undefined => {
  switch (type) {
    case 'balance.posted': {
      const { kind, amount } = data;
      return { kind, sum: kind === 'adjustment_void' ? 'adjustment' : kind, amount };
    }
    case 'balance.settled':
      return { kind: 'paid', sum: 'paid', amount: -BigInt(data.amount) };
    case 'balance.released':
      return data.was === 'paid'
        ? { kind: 'returned', sum: 'returned', amount: BigInt(data.amount) }
        : undefined;
    case 'balance.reserved':
    case 'balance.opened':
    case 'balance.carried':
    case 'balance.closed':
      return undefined;
  }
};

/**
 * Returns the month (`2026-10`) of the statement that an event of a balance belongs to; undefined
 * for an event without `posted_at`. A reservation has none: the hash of the next event that has one
 * covers it.
 */
export const monthOf = ({ data }: BalanceEvent): string | undefined =>
  'posted_at' in data ? data.posted_at.slice(0, '2026-10'.length) : undefined;

/** Whether this is the first event of a balance that belongs to a statement. */
export const isFirstEntry = ({ type, data }: BalanceEvent): boolean =>
  type === 'balance.posted' && data.number === 1;
