import { CommandHandler, erasedEvent, type ErasedEvent } from '@refledger/application';
import { isId, streams, type AccountId } from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import type { KeyReader, KeyRow } from '@refledger/key-store';
import { entryOfEvent, entryOfRow, type ErasedRow, type ErasureEntry } from './erasure-entry.js';

export interface ErasureSources {
  readonly log: EventLog;
  readonly keys: Pick<KeyReader, 'getMany' | 'scan'>;
  readonly signal: AbortSignal;
}

/**
 * Reads the erasures that the log records, in its order, and then the ones that only the key store
 * has.
 */
export async function* readErasures(
  { log, keys, signal }: ErasureSources,
  account?: AccountId,
): AsyncGenerator<ErasureEntry> {
  const isWanted = ({ account_id }: ErasureEntry): boolean =>
    account === undefined || account_id === account;
  for await (const { events } of log.readAll({ prefix: streams.allAffiliates })) {
    signal.throwIfAborted();
    const erased = events.flatMap((event) => erasedEvent(event) ?? []);
    const stored = await keys.getMany(erased.map(({ data }) => data.affiliate_id));
    yield* erased
      .map((event) => entryOfEvent(event, stored.get(event.data.affiliate_id)))
      .filter(isWanted);
  }
  for await (const rows of keys.scan()) {
    signal.throwIfAborted();
    for (const row of rows.filter(isErased))
      if ((await stateInLog(log, row)) !== 'erased' && isWanted(entryOfRow(row)))
        yield entryOfRow(row);
  }
}

export const isErased = (row: KeyRow): row is ErasedRow =>
  row.kind === 'erased' && isId('affiliate', row.owner);

/** What the log says about an affiliate that is erased in the key store. */
export const stateInLog = async (
  log: EventLog,
  { owner, position, eventId }: ErasedRow,
): Promise<'erased' | 'not erased' | 'absent'> => {
  const event = await log.eventAt(position);
  if (event?.id === eventId && isErasureOf(event, owner)) return 'erased';
  // the log was restored or copied since: the event may have another position
  const { state } = await new CommandHandler(log).load(affiliateDecider, streams.affiliate(owner));
  if (state.kind === 'none') return 'absent';
  return state.kind === 'erased' ? 'erased' : 'not erased';
};

const isErasureOf = (event: LoggedEvent, owner: ErasedRow['owner']): boolean => {
  const erased: ErasedEvent | undefined = erasedEvent(event);
  return erased?.data.affiliate_id === owner;
};
