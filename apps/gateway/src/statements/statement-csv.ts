import type { StatementRow, StatementSheet } from '@refledger/queries';
import { csvRows } from '../csv/csv-rows.js';
import { csvText } from '../csv/csv-text.js';
import { decimalAmount } from '../csv/decimal-amount.js';

/**
 * Returns a statement as CSV, in pieces: the header and the opening amount, the lines, and the
 * closing amount, which is the sum of all amounts before it.
 */
export async function* statementCsv(
  lines: AsyncIterable<readonly StatementRow[]>,
  sheet: StatementSheet,
): AsyncGenerator<string> {
  const { period, opening, closing, final } = sheet;
  const rowsOf = (rows: readonly StatementRow[]): string =>
    csvRows(rows.map((row) => columns.map(([, cellOf]) => cellOf(row, sheet))));
  yield (
    csvRows([columns.map(([name]) => name)]) +
    rowsOf([{ at: period.from, kind: 'opening', amount: opening }])
  );
  for await (const rows of lines) if (rows.length > 0) yield rowsOf(rows);
  const description = final ? '' : 'not final';
  yield rowsOf([{ at: period.to, kind: 'closing', amount: closing, description }]);
}

type Cell = (row: StatementRow, sheet: StatementSheet) => string;

const text =
  (field: Exclude<keyof StatementRow, 'amount'>): Cell =>
  (row) =>
    csvText(row[field] ?? '');

/** A new column goes to the end, so that programs may read cells by their index. */
const columns: readonly (readonly [name: string, cellOf: Cell])[] = [
  ['at', text('at')],
  ['kind', text('kind')],
  ['amount', ({ amount }) => String(amount)],
  ['amount_decimal', ({ amount }, { currency }) => decimalAmount(amount, currency)],
  ['currency', (_, { currency }) => csvText(currency)],
  ['payable_on', text('payable_on')],
  ['entry_id', text('entry_id')],
  ['conversion_id', text('conversion_id')],
  ['adjustment_id', text('adjustment_id')],
  ['payout_id', text('payout_id')],
  ['description', text('description')],
  ['external_transaction_id', text('external_transaction_id')],
  ['affiliate_name', (_, { affiliate_name }) => csvText(affiliate_name)],
  ['program_name', (_, { program_name }) => csvText(program_name)],
];
