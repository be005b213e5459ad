import { isId, streams, type AccountId } from '@refledger/contracts';
import { affiliateDecider, type AffiliateState } from '@refledger/domain';
import type { CommandHandler } from '../command-handler.js';

/** The affiliate that a request names; `none` if the account has no affiliate with this id. */
export const affiliateOf = async (
  commands: CommandHandler,
  account: AccountId,
  id: string,
): Promise<AffiliateState> => {
  if (!isId('affiliate', id)) return affiliateDecider.initial;
  const loaded = await commands.load(affiliateDecider, streams.affiliate(id));
  return loaded.accountId === account ? loaded.state : affiliateDecider.initial;
};
