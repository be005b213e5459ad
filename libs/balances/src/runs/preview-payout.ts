import type { PayoutRunRecord, SkipReason } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { balanceDecider, requirePayout, draftPayout } from '@refledger/domain';
import type { BalanceDocument } from '@refledger/projections';
import type { BalanceReader } from '../balance-reader.js';
import { payeeOf } from '../payouts/payee-of.js';
import { payoutOfRun } from './run-balances.js';
import { skipReasonOf } from './skip-reason.js';

export interface PreviewParts {
  readonly commands: CommandHandler;
  readonly reader: Pick<BalanceReader, 'load'>;
}

/** The outcome if a run reached a balance now: a payout, unless there is a reason to skip it. */
export type PreviewedPayout = { readonly amount: bigint } & (
  | { readonly payeeRevision: number; readonly skipped?: undefined }
  | { readonly skipped: SkipReason }
);

/**
 * Decides on a balance as a run does, and appends nothing. `amount` is what is payable, in the
 * minor unit of the currency.
 */
export const previewPayout = async (
  { commands, reader }: PreviewParts,
  terms: Pick<PayoutRunRecord, 'until' | 'ignore_minimum'>,
  {
    account_id,
    ...document
  }: Pick<BalanceDocument, 'account_id' | 'id' | 'affiliate_id' | 'currency'>,
): Promise<PreviewedPayout> => {
  const payout = payoutOfRun(terms, document);
  const payee = await payeeOf(commands, account_id, document.affiliate_id);
  const loaded = await reader.load(document.id);
  const balance = loaded?.state ?? balanceDecider.initial;
  const asked = { payout, balance, recordedAt: commands.instant(), isOfRun: true, ...payee };
  const wanted = draftPayout(asked);
  const { amount } = wanted.lines;
  try {
    return { amount, payeeRevision: requirePayout(asked, wanted).payeeRevision };
  } catch (error) {
    return { amount, skipped: skipReasonOf(error) };
  }
};
