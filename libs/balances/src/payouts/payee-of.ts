import { streams, type AccountId } from '@refledger/contracts';
import { affiliateOf, type CommandHandler } from '@refledger/application';
import { programDecider, type AffiliateState, type ProgramState } from '@refledger/domain';

/** The payee, as the log has it now. */
export interface Payee {
  /** `none` when it belongs to another account. */
  readonly affiliate: AffiliateState;
  readonly program: ProgramState;
}

/** Loads the affiliate that a payout names, and its program. */
export const payeeOf = async (
  commands: CommandHandler,
  accountId: AccountId,
  affiliate_id: string,
): Promise<Payee> => {
  const affiliate = await affiliateOf(commands, accountId, affiliate_id);
  if (affiliate.kind === 'none') return { affiliate, program: programDecider.initial };
  const stream = streams.program(accountId, affiliate.record.program_id);
  return { affiliate, program: (await commands.load(programDecider, stream)).state };
};
