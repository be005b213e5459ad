import type { EntryRecord } from '@refledger/contracts';
import { csvRows } from '../csv/csv-rows.js';
import { csvText } from '../csv/csv-text.js';
import { decimalAmount } from '../csv/decimal-amount.js';

/** Returns entries as CSV, in pieces: the header first. */
export async function* entriesCsv(
  batches: AsyncIterable<readonly EntryRecord[]>,
): AsyncGenerator<string> {
  yield csvRows([columns.map(([name]) => name)]);
  for await (const entries of batches)
    yield csvRows(entries.map((entry) => columns.map(([, cellOf]) => cellOf(entry))));
}

type Cell = (entry: EntryRecord) => string;

const text = (
  field: Exclude<keyof EntryRecord, 'number' | 'amount'>,
): readonly [name: string, cellOf: Cell] => [field, (entry) => csvText(entry[field] ?? '')];

const columns: readonly (readonly [name: string, cellOf: Cell])[] = [
  text('id'),
  ['number', ({ number }) => String(number)],
  text('balance_id'),
  text('affiliate_id'),
  text('program_id'),
  text('kind'),
  ['amount', ({ amount }) => String(amount)],
  ['amount_decimal', ({ amount, currency }) => decimalAmount(BigInt(amount), currency)],
  text('currency'),
  text('payable_on'),
  text('conversion_id'),
  text('adjustment_id'),
  text('description'),
  text('payout_id'),
  text('caused_by'),
  text('posted_at'),
  text('created_at'),
  text('position'),
];
