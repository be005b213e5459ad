import type { PayoutStatus } from '@refledger/contracts';
import type { PayeeRow, RowOrMissing } from '@refledger/queries';
import { csvRows } from '../../csv/csv-rows.js';
import { csvText } from '../../csv/csv-text.js';
import { decimalAmount } from '../../csv/decimal-amount.js';

/** A cell: text, which a spreadsheet might run, or a number, which is never touched. */
type Cell = { readonly text: string } | { readonly number: string };

/** A row as a template writes it. */
interface TemplateRow extends PayeeRow {
  /** A decimal with the currency's own number of decimal places. */
  readonly amount: string;
}

/**
 * The format of a file with payouts. Each payment provider's format has a source file of its own.
 */
export interface PayoutTemplate {
  /** Only payouts with one of these have a row. */
  readonly statuses: readonly PayoutStatus[];
  readonly rowsPerPart: number;
  /** Whether money is sent with this file; if so, nothing in it may be doubtful. */
  readonly forProvider: boolean;
  /** Whether such a file can pay in a currency. */
  readonly pays: (currency: string) => boolean;
  readonly header: readonly string[] | undefined;
  readonly row: (row: TemplateRow) => readonly Cell[];
  /** Whether the provider accepts such a payout, and such a recipient. */
  readonly isUsable: (row: PayeeRow) => boolean;
}

/**
 * Whether a provider's file can have a row: its provider accepts it, and no cell of text is one
 * that a spreadsheet would run.
 */
export const isUsable = (template: PayoutTemplate, row: PayeeRow): boolean =>
  template.isUsable(row) &&
  cellsOf(template, row).every((cell) => 'number' in cell || csvText(cell.text) === cell.text);

/** Returns the rows of a file as text. */
export const textOfRows = (template: PayoutTemplate, rows: readonly PayeeRow[]): string =>
  csvRows(
    rows.map((row) =>
      cellsOf(template, row).map((cell) => ('number' in cell ? cell.number : csvText(cell.text))),
    ),
  );

/**
 * Returns the text of a file, in pieces, with the rows as they are when they are read. Throws if an
 * affiliate was deleted meanwhile: the download then breaks off, and no payout is silently missing.
 */
export async function* textOf(
  template: PayoutTemplate,
  pages: AsyncIterable<readonly RowOrMissing[]>,
): AsyncGenerator<string> {
  if (template.header !== undefined) yield csvRows([template.header]);
  for await (const page of pages) yield textOfRows(template, page.map(present));
}

const cellsOf = (template: PayoutTemplate, row: PayeeRow): readonly Cell[] => {
  const { amount, currency } = row.payout;
  return template.row({ ...row, amount: decimalAmount(BigInt(amount), currency) });
};

const present = (row: RowOrMissing): PayeeRow => {
  if ('missing' in row)
    throw new Error(`the affiliate of payout ${row.missing} has just been deleted`);
  return row;
};
