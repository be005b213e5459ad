import type {
  BalanceEvent,
  ConversionRecord,
  PayoutRecord,
  RecordedEvent,
  StatementLine,
} from '@refledger/contracts';
import {
  affiliatesProjection,
  conversionsProjection,
  payoutsProjection,
  programsProjection,
} from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import { recordsOf, type MoneyReads } from '../money-reads.js';
import { statementLineOf } from './statement-lines.js';

/** A row of a statement as CSV: one of its lines, or what was owed before or after them. */
export type StatementRow = Omit<StatementLine, 'kind'> & {
  readonly kind: StatementLine['kind'] | 'opening' | 'closing';
  readonly external_transaction_id?: string;
};

/** The read models from which rows and names are filled in. */
export const rowProjections: readonly ProjectionSpec[] = [
  conversionsProjection,
  payoutsProjection,
  affiliatesProjection,
  programsProjection,
];

/**
 * Yields the rows that these events add to the statement of a month (`2026-10`), with what its
 * reader knows them by: the shop's id of a sale, and the description of a payout.
 */
export async function* statementRows(
  money: Pick<MoneyReads, 'get'>,
  batches: AsyncIterable<readonly RecordedEvent<BalanceEvent>[]>,
  month: string,
): AsyncGenerator<readonly StatementRow[]> {
  for await (const events of batches) {
    const lines = events.flatMap((event) => statementLineOf(event, month) ?? []);
    const conversions = lines.flatMap(({ conversion_id }) => conversion_id ?? []);
    const payouts = lines.flatMap(({ payout_id }) => payout_id ?? []);
    const [sales, paid] = await Promise.all([
      recordsOf<ConversionRecord>(money, conversionsProjection, conversions),
      recordsOf<PayoutRecord>(money, payoutsProjection, payouts),
    ]);
    yield lines.map((line) => ({
      ...line,
      external_transaction_id: sales.records.get(line.conversion_id)?.external_transaction_id ?? '',
      description: line.description ?? paid.records.get(line.payout_id)?.description ?? '',
    }));
  }
}
