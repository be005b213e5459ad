import { erasedEvent } from '@refledger/application';
import { isId, streams, type AccountId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { KeyReader, KeyRow } from '@refledger/key-store';
import { entryOfEvent, entryOfRow, type ErasedRow, type ErasureEntry } from './erasure-entry.js';
import { erasureInLog } from './erasure-in-log.js';

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
    const stored = await keys.getMany(erased.map(({ affiliateId }) => affiliateId));
    yield* erased
      .map((event) => entryOfEvent(event, stored.get(event.affiliateId)))
      .filter(isWanted);
  }
  for await (const rows of keys.scan()) {
    signal.throwIfAborted();
    for (const row of rows.filter(isErased))
      if ((await erasureInLog(log, row)).state !== 'erased' && isWanted(entryOfRow(row)))
        yield entryOfRow(row);
  }
}

export const isErased = (row: KeyRow): row is ErasedRow =>
  row.kind === 'erased' && isId('affiliate', row.owner);
