import type { AccountId, AffiliateRecord, ProgramRecord } from '@refledger/contracts';
import type { BalanceKey } from '@refledger/domain';
import { affiliatesProjection, programKey, programsProjection } from '@refledger/projections';
import type { MoneyReads } from '../money-reads.js';

/** The names that a statement is sent with, as they are now. */
export interface StatementNames {
  /** Empty for a deleted affiliate. */
  readonly affiliate_name: string;
  readonly program_name: string;
}

/** Reads the names of the affiliate and the program of a balance. */
export const statementNames = async (
  money: Pick<MoneyReads, 'get'>,
  account: AccountId,
  { affiliate_id, program_id }: Pick<BalanceKey, 'affiliate_id' | 'program_id'>,
): Promise<StatementNames> => {
  const [affiliate, program] = await Promise.all([
    money.get(affiliatesProjection, affiliate_id),
    money.get(programsProjection, programKey(account, program_id)),
  ]);
  // a decoding boundary: the projections wrote these records; a deleted affiliate has none
  const named = affiliate.value?.record as AffiliateRecord | undefined;
  const program_name = (program.value?.record as ProgramRecord | undefined)?.name;
  return { affiliate_name: named?.name ?? '', program_name: program_name ?? '' };
};
