import { BalanceReader, OpenPayouts } from '@refledger/balances';
import { DomainError, isId, streams, type AffiliateId } from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import {
  CommandHandler,
  Erasures,
  newContext,
  restoreErasure,
  type ErasuresParts,
} from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import { z } from 'zod';

const affiliate_id = z.custom<AffiliateId>(
  (value) => typeof value === 'string' && isId('affiliate', value),
);

/** The commands on erasures that an operator can send to a running service. */
export const erasureCommandSchemas = [
  z.strictObject({ type: z.literal('erase'), affiliate_id }),
  z.strictObject({ type: z.literal('restore_erasure'), affiliate_id, event_id: z.uuid() }),
] as const;

/**
 * `erase` erases an affiliate of any account. `restore_erasure` records an erasure again, with the
 * id of its event, after the log and the key store were both restored to before it.
 */
export type ErasureCommand = z.infer<(typeof erasureCommandSchemas)[number]>;

export interface ErasureCommandParts extends Pick<ErasuresParts, 'keys' | 'logger'> {
  readonly log: EventLog;
}

/**
 * Erases the affiliate, and destroys its key. Resolves to whether the erasure was new. Throws
 * `payouts_open`, and `not_found` if the log does not have the affiliate.
 */
export const carryOutErasure = async (
  { log, keys, logger }: ErasureCommandParts,
  command: ErasureCommand,
): Promise<boolean> => {
  const commands = new CommandHandler(log);
  const { affiliate_id } = command;
  const { accountId, state } = await commands.load(
    affiliateDecider,
    streams.affiliate(affiliate_id),
  );
  if (accountId === undefined)
    throw new DomainError(
      'not_found',
      `The log has no affiliate ${affiliate_id}. Check the id, and --data-dir or EVENT_LOG_URL.`,
    );
  const context = newContext({ accountId, actor: 'operator', requestId: `ops ${command.type}` });
  if (command.type === 'restore_erasure')
    await restoreErasure(commands, { affiliate_id, eventId: command.event_id, context });
  const openPayouts = new OpenPayouts(new BalanceReader(log), commands);
  await new Erasures({ commands, log, keys, openPayouts, logger }).erase({
    affiliate_id,
    context,
    precondition: () => undefined,
  });
  return state.kind !== 'erased';
};
