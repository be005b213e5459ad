import {
  comparePositions,
  eventIdOf,
  isId,
  streams,
  type AffiliateId,
  type Position,
} from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import { encodeEvent, UnreadableEvent } from '@refledger/event-log';
import type { KeyReader } from '@refledger/key-store';
import { newContext, type CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { erasedType } from './erased-event.js';

type Commands = Pick<CommandHandler, 'load' | 'metadata' | 'appendAt'>;

/**
 * Records erasures again that a log has lost because it was restored from a backup while the key
 * store was not: the affiliate is deleted and erased with the id that the event had. `appliedUpTo`:
 * the log is known to have every erasure up to there. Returns how many it has recorded.
 */
export const restoreErasures = async (
  commands: Commands,
  keys: Pick<KeyReader, 'scan'>,
  appliedUpTo: Position | undefined,
): Promise<number> => {
  let restored = 0;
  for await (const rows of keys.scan())
    for (const row of rows) {
      const mayBeLost =
        row.kind === 'erased' &&
        (appliedUpTo === undefined || comparePositions(row.position, appliedUpTo) > 0);
      if (!mayBeLost || !isId('affiliate', row.owner)) continue;
      const { owner: affiliate_id, accountId, eventId } = row;
      const context = newContext({ accountId, actor: 'ledger', requestId: eventId });
      if (await restoreErasure(commands, { affiliate_id, eventId, context })) restored++;
    }
  return restored;
};

interface LostErasure {
  readonly affiliate_id: AffiliateId;
  /** The id that the event had. */
  readonly eventId: string;
  readonly context: CommandContext;
}

/** Records an erasure again if the log has lost it. Resolves to whether it had. */
export const restoreErasure = (commands: Commands, lost: LostErasure): Promise<boolean> =>
  record(commands, lost).catch((error: unknown) => {
    // the log has it, even if this release cannot read it
    if (error instanceof UnreadableEvent && error.event.type === erasedType) return false;
    throw error;
  });

const record = async (
  commands: Commands,
  { affiliate_id, eventId, context }: LostErasure,
): Promise<boolean> => {
  const stream = streams.affiliate(affiliate_id);
  for (;;) {
    const loaded = await commands.load(affiliateDecider, stream);
    // the log was restored to before the affiliate existed
    if (loaded.state.kind === 'none') return false;
    const events = affiliateDecider.decide({ type: 'erase', affiliate_id }, loaded.state);
    if (events.length === 0) return false;
    const metadata = commands.metadata(context, loaded);
    const encoded = events.map((event, index) => {
      const isLast = index === events.length - 1;
      return encodeEvent(
        event,
        isLast ? eventId : eventIdOf(eventId, stream, 0, index),
        isLast ? metadata : { ...metadata, append_continues: true },
      );
    });
    if ((await commands.appendAt(stream, encoded, loaded.revision)) !== undefined) return true;
  }
};
