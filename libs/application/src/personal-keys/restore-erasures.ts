import {
  comparePositions,
  eventIdOf,
  isId,
  streams,
  type AffiliateId,
  type Position,
} from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import { encodeEvent } from '@refledger/event-log';
import type { KeyReader, KeyRow } from '@refledger/key-store';
import { newContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';

type Commands = Pick<CommandHandler, 'load' | 'metadata' | 'appendAt'>;
type ErasedRow = Extract<KeyRow, { readonly kind: 'erased' }>;

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
      if (mayBeLost && isId('affiliate', row.owner) && (await restore(commands, row.owner, row)))
        restored++;
    }
  return restored;
};

/** Whether the log had lost this erasure. */
const restore = async (
  commands: Commands,
  affiliate_id: AffiliateId,
  row: ErasedRow,
): Promise<boolean> => {
  const { accountId, eventId } = row;
  const stream = streams.affiliate(affiliate_id);
  const context = newContext({ accountId, actor: 'ledger', requestId: eventId });
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
