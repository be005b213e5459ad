import type { AccountId, NewPayout, PayoutRunRecord } from '@refledger/contracts';
import { balancesProjection, type BalanceDocument } from '@refledger/projections';
import type { Document, Filter, ReadResult, ProjectionSpec, Query } from '@refledger/read-store';

export type RunScope = Pick<PayoutRunRecord, 'program_id' | 'currency' | 'affiliate_ids'>;

interface BalancesOfAccount {
  /** Finds documents of a projection that has one collection. */
  readonly find: (
    projection: ProjectionSpec,
    query: Query,
  ) => Promise<ReadResult<readonly Document[]>>;
  readonly accountId: AccountId;
}

/** The place of a balance in the order in which a run goes through balances. */
export type BalanceCursor = Pick<BalanceDocument, 'created_at' | 'id'>;

/** Returns the payout that a run requests for a balance. */
export const payoutOfRun = (
  { until, ignore_minimum }: Pick<PayoutRunRecord, 'until' | 'ignore_minimum'>,
  { affiliate_id, currency }: Pick<BalanceDocument, 'affiliate_id' | 'currency'>,
): NewPayout => ({ affiliate_id, currency, until, ignore_minimum });

/** Few enough balances that paying them all at the same time delays other work by milliseconds. */
export const runPageSize = 100;

/**
 * Yields the balances of an account in which something is open, in pages, as the read model shows
 * them while it is read. Those of named affiliates are all yielded; otherwise those after `begin`.
 * Throws what `find` throws.
 */
export async function* openBalances(
  of: BalancesOfAccount,
  scope: RunScope,
  begin?: BalanceCursor,
): AsyncGenerator<readonly BalanceDocument[]> {
  if (scope.affiliate_ids === null)
    yield* pagesOf(of, { ...narrowed(scope), is_open: true }, begin);
  // an affiliate has one balance per currency, so in practice one page holds them all
  for (const affiliate_id of new Set(scope.affiliate_ids ?? []))
    for await (const page of pagesOf(of, { affiliate_id })) {
      const wanted = page.filter((balance) => balance.is_open && isWithin(scope, balance));
      if (wanted.length > 0) yield wanted;
    }
}

/** Yields the pages of the balances with these fields, none of them empty. */
async function* pagesOf(
  of: BalancesOfAccount,
  fields: Readonly<Record<string, string | boolean>>,
  begin?: BalanceCursor,
): AsyncGenerator<readonly BalanceDocument[]> {
  let after = begin;
  do {
    const page = await pageOf(of, fields, after);
    if (page.length > 0) yield page;
    after = page.length === runPageSize ? page.at(-1) : undefined;
  } while (after !== undefined);
}

const narrowed = ({ program_id, currency }: RunScope) => ({
  ...(program_id !== null && { program_id }),
  ...(currency !== null && { currency }),
});

const isWithin = ({ program_id, currency }: RunScope, balance: BalanceDocument): boolean =>
  (program_id === null || program_id === balance.program_id) &&
  (currency === null || currency === balance.currency);

const pageOf = async (
  { find, accountId }: BalancesOfAccount,
  fields: Readonly<Record<string, string | boolean>>,
  after: BalanceCursor | undefined,
): Promise<readonly BalanceDocument[]> => {
  const where = Object.entries({ account_id: accountId, ...fields }).map(
    ([field, value]): Filter => ({ field, equals: value }),
  );
  const { value } = await find(balancesProjection, {
    where,
    order: { fields: ['created_at', 'id'], descending: false },
    ...(after !== undefined && { after: [after.created_at, after.id] }),
    limit: runPageSize,
  });
  // a decoding boundary: the projection wrote these documents
  return value as readonly (Document & BalanceDocument)[];
};
