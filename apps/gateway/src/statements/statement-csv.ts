import type { BalanceEvent, Recorded, StatementLine } from '@refledger/contracts';
import { csvRows } from '../csv/csv-rows.js';
import { csvText } from '../csv/csv-text.js';
import { decimalAmount } from '../csv/decimal-amount.js';
import { statementLineOf } from './statement-lines.js';

/**
 * Returns the lines that these events add to the statement of a month as CSV, in pieces: the header
 * first.
 */
export async function* statementCsv(
  batches: AsyncIterable<readonly Recorded<BalanceEvent>[]>,
  { month, currency }: { readonly month: string; readonly currency: string },
): AsyncGenerator<string> {
  yield csvRows([columns.map(([name]) => name)]);
  for await (const events of batches) {
    const lines = events.flatMap((event) => statementLineOf(event, month) ?? []);
    if (lines.length === 0) continue;
    yield csvRows(lines.map((line) => columns.map(([, cellOf]) => cellOf(line, currency))));
  }
}

type Cell = (line: StatementLine, currency: string) => string;

const text =
  (field: Exclude<keyof StatementLine, 'amount'>): Cell =>
  (line) =>
    csvText(line[field] ?? '');

const columns: readonly (readonly [name: string, cellOf: Cell])[] = [
  ['at', text('at')],
  ['kind', text('kind')],
  ['amount', ({ amount }) => String(amount)],
  ['amount_decimal', ({ amount }, currency) => decimalAmount(amount, currency)],
  ['currency', (_, currency) => csvText(currency)],
  ['payable_on', text('payable_on')],
  ['entry_id', text('entry_id')],
  ['conversion_id', text('conversion_id')],
  ['adjustment_id', text('adjustment_id')],
  ['payout_id', text('payout_id')],
  ['description', text('description')],
];
