import type {
  AccountId,
  Position,
  ProgramRecord,
  SealedAffiliateRecord,
} from '@refledger/contracts';
import type { BalanceKey, Payee } from '@refledger/domain';
import { affiliatesProjection, programKey, programsProjection } from '@refledger/projections';
import type { ProjectionSpec } from '@refledger/read-store';
import { recordsOf, reflectedByAll, type MoneyReads } from '../money-reads.js';

/** The affiliates and programs that some balances belong to. */
export interface Payees {
  getPayee(about: BalanceKey): Payee;
  /** The position that they reflect; undefined if there are none. */
  readonly position: Position | undefined;
}

/** The read models from which payees are made. */
export const payeeProjections: readonly ProjectionSpec[] = [
  affiliatesProjection,
  programsProjection,
];

/** Reads the affiliates and programs of these balances, each once, from the read models. */
export const payeesOf = async (
  money: MoneyReads,
  account: AccountId,
  balances: readonly BalanceKey[],
): Promise<Payees> => {
  const [affiliates, programs] = await Promise.all([
    recordsOf<SealedAffiliateRecord>(
      money,
      affiliatesProjection,
      balances.map(({ affiliate_id }) => affiliate_id),
    ),
    recordsOf<ProgramRecord>(
      money,
      programsProjection,
      balances.map(({ program_id }) => programKey(account, program_id)),
    ),
  ]);
  return {
    getPayee: ({ affiliate_id, program_id, currency }) =>
      payeeOf(
        affiliates.records.get(affiliate_id),
        programs.records.get(programKey(account, program_id)),
        currency,
      ),
    position: reflectedByAll([...affiliates.found, ...programs.found]),
  };
};

/** Returns the payee of a balance in this currency. A deleted affiliate has no record. */
export const payeeOf = (
  affiliate: SealedAffiliateRecord | undefined,
  program: ProgramRecord | undefined,
  currency: string,
): Payee => ({
  status: affiliate?.status,
  payoutHold: affiliate?.payout_hold ?? false,
  minimum: program?.minimum_payout[currency] ?? null,
});
