import type { Statement, StatementLine } from '@refledger/testing';

/** The columns of a statement's CSV rows that its lines lack. */
interface SheetNames {
  readonly affiliate_name: string;
  readonly program_name: string;
  /** The cells that a line has only as CSV. */
  readonly cellsOf: (line: StatementLine) => Readonly<Record<string, string>>;
}

/** Returns the rows that a statement has as CSV while it is not final. */
export const sheetRows = (
  { data, from, to, opening, closing, currency }: Statement,
  { cellsOf, ...names }: SheetNames,
): readonly object[] => {
  const rowOf = (amount: number, line: object) => ({
    ...Object.fromEntries(emptyCells.map((cell) => [cell, ''])),
    ...line,
    // a negative amount stays a number
    amount: String(amount),
    amount_decimal: `${amount < 0 ? '-' : ''}${(Math.abs(amount) / 100).toFixed(2)}`,
    currency,
    ...names,
  });
  return [
    rowOf(opening, { at: from, kind: 'opening' }),
    ...data.map((line) => rowOf(line.amount, { ...line, ...cellsOf(line) })),
    rowOf(closing, { at: to, kind: 'closing', description: 'not final' }),
  ];
};

const emptyCells = [
  'payable_on',
  'entry_id',
  'conversion_id',
  'adjustment_id',
  'payout_id',
  'description',
  'external_transaction_id',
];
