import type { AccountId, LogId, PayoutRunRecord } from '@refledger/contracts';
import { balancesProjection, type BalanceDocument } from '@refledger/projections';
import type { Document, Filter, ReadStore } from '@refledger/read-store';

/** Which balances a run pays. */
export type RunScope = Pick<PayoutRunRecord, 'program_id' | 'currency' | 'affiliate_ids'>;

interface BalancesOfAccount {
  readonly store: Pick<ReadStore, 'find'>;
  readonly logId: LogId;
  readonly accountId: AccountId;
}

/** Few enough balances that paying them all at once delays other work by milliseconds. */
export const runPageSize = 100;

/**
 * Yields the balances of an account in which something is open, in pages, as the read model shows
 * them while it is read. Throws `ReadModelUnreadable`.
 */
export async function* openBalances(
  of: BalancesOfAccount,
  scope: RunScope,
): AsyncGenerator<readonly BalanceDocument[]> {
  if (scope.affiliate_ids !== null) {
    yield* balancesOfAffiliates(of, scope);
    return;
  }
  let after: BalanceDocument | undefined;
  do {
    const page = await find(of, { ...narrowed(scope), is_open: true }, after);
    if (page.length > 0) yield page;
    after = page.length === runPageSize ? page.at(-1) : undefined;
  } while (after !== undefined);
}

/** An affiliate has one balance per currency, so one page holds them all but in theory. */
async function* balancesOfAffiliates(
  of: BalancesOfAccount,
  scope: RunScope,
): AsyncGenerator<readonly BalanceDocument[]> {
  for (const affiliate_id of new Set(scope.affiliate_ids)) {
    let after: BalanceDocument | undefined;
    do {
      const page = await find(of, { affiliate_id }, after);
      const wanted = page.filter((balance) => balance.is_open && isWithin(scope, balance));
      if (wanted.length > 0) yield wanted;
      after = page.length === runPageSize ? page.at(-1) : undefined;
    } while (after !== undefined);
  }
}

const narrowed = ({ program_id, currency }: RunScope) => ({
  ...(program_id !== null && { program_id }),
  ...(currency !== null && { currency }),
});

const isWithin = ({ program_id, currency }: RunScope, balance: BalanceDocument): boolean =>
  (program_id === null || program_id === balance.program_id) &&
  (currency === null || currency === balance.currency);

const find = async (
  { store, logId, accountId }: BalancesOfAccount,
  fields: Readonly<Record<string, string | boolean>>,
  after: BalanceDocument | undefined,
): Promise<readonly BalanceDocument[]> => {
  const where = Object.entries({ account_id: accountId, ...fields }).map(
    ([field, value]): Filter => ({ field, equals: value }),
  );
  const { value } = await store.find(balancesProjection, logId, 'balances', {
    where,
    order: { fields: ['created_at', 'id'], descending: false },
    ...(after !== undefined && { after: [after.created_at, after.id] }),
    limit: runPageSize,
  });
  // a decoding boundary: the projection wrote these documents
  return value as readonly (Document & BalanceDocument)[];
};
