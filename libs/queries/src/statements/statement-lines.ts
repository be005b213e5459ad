import type { BalanceEvent, StatementLine } from '@refledger/contracts';
import { entryIdOf } from '@refledger/domain';
import { lineOf } from '@refledger/projections';

/**
 * Returns the line that an event of a balance adds to the statement of a month (`2026-10`);
 * undefined if it adds none.
 */
export const statementLineOf = (event: BalanceEvent, month: string): StatementLine | undefined => {
  const line = lineOf(event);
  if (line === undefined || !('posted_at' in event.data)) return undefined;
  if (!event.data.posted_at.startsWith(month)) return undefined;
  const { kind, amount } = line;
  return { at: event.data.posted_at, kind, amount: BigInt(amount), ...detailsOf(event.data) };
};

type LineData = Extract<BalanceEvent['data'], { readonly posted_at: string }>;

const detailsOf = (data: LineData): Partial<StatementLine> => {
  if (!('number' in data)) return { payout_id: data.payout_id };
  const { balance_id, number, conversion_id, adjustment_id, description, payable_on } = data;
  return {
    entry_id: entryIdOf(balance_id, number),
    ...(conversion_id !== null && { conversion_id }),
    ...(adjustment_id !== null && { adjustment_id }),
    ...(description !== null && { description }),
    payable_on,
  };
};
