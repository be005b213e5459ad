import type { AccountId, ProgramRecord, SealedAffiliateRecord } from '@refledger/contracts';
import type { BalanceKey } from '@refledger/domain';
import { affiliatesProjection, programKey, programsProjection } from '@refledger/projections';
import type { PersonalData } from '@refledger/personal-data';
import type { MoneyReads } from '../money-reads.js';

/** The names that a statement is sent with, as they are now. */
export interface StatementNames {
  /** Empty for a deleted affiliate. */
  readonly affiliate_name: string;
  readonly program_name: string;
}

export interface StatementNamesParts {
  readonly money: Pick<MoneyReads, 'get'>;
  readonly personalData: Pick<PersonalData, 'openAffiliates'>;
}

/** Reads the names of the affiliate and the program of a balance. */
export const statementNames = async (
  { money, personalData }: StatementNamesParts,
  account: AccountId,
  { affiliate_id, program_id }: Pick<BalanceKey, 'affiliate_id' | 'program_id'>,
): Promise<StatementNames> => {
  const [affiliate, program] = await Promise.all([
    money.get(affiliatesProjection, affiliate_id),
    money.get(programsProjection, programKey(account, program_id)),
  ]);
  // a decoding boundary: the projections wrote these records; a deleted affiliate has none
  const sealed = affiliate.value?.record as SealedAffiliateRecord | undefined;
  const program_name = (program.value?.record as ProgramRecord | undefined)?.name;
  const [named] = await personalData.openAffiliates(sealed === undefined ? [] : [sealed]);
  return { affiliate_name: named?.name ?? '', program_name: program_name ?? '' };
};
