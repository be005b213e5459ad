import { streams, type Position } from '@refledger/contracts';
import { isInLog, type EventLog } from '@refledger/event-log';
import type { KeyOwner, KeyReader, StoredKey } from '@refledger/key-store';
import { erasedEvent, type ErasedEvent } from './erased-event.js';

type Log = Pick<EventLog, 'id' | 'eventAt' | 'readAll'>;

/**
 * The position up to which the erasures of a log were applied to a key store. Undefined if it is
 * unknown: the key store has none, or one of another log or of a part of this log that was lost.
 */
export const appliedUpTo = async (
  log: Pick<Log, 'id' | 'eventAt'>,
  keys: Pick<KeyReader, 'checkpoint'>,
): Promise<Position | undefined> => {
  const checkpoint = await keys.checkpoint();
  return checkpoint !== undefined && (await isInLog(log, checkpoint))
    ? checkpoint.position
    : undefined;
};

/**
 * Returns the key store with every affiliate shown as erased that the log has erased, even if a crash
 * or a restored backup left its key. Reads the log from the position up to which erasures were
 * applied. Call it before opening anything with the store's keys. `onErased` is called for each of
 * these erasures.
 */
export const withErasures = async <Store extends KeyReader>(
  log: Log,
  store: Store,
  onErased: (event: ErasedEvent) => Promise<void> = () => Promise.resolve(),
): Promise<Store> => {
  const erased = new Map<KeyOwner, StoredKey>();
  const after = await appliedUpTo(log, store);
  for await (const { events } of log.readAll({ after, prefix: streams.allAffiliates }))
    for (const logged of events) {
      const event = erasedEvent(logged);
      if (event === undefined) continue;
      await onErased(event);
      erased.set(event.affiliateId, erasedBy(event));
    }
  if (erased.size === 0) return store;
  const getMany: KeyReader['getMany'] = async (owners) => {
    const stored = new Map(await store.getMany(owners));
    for (const owner of owners) {
      const key = erased.get(owner);
      if (key !== undefined && stored.get(owner)?.kind !== 'erased') stored.set(owner, key);
    }
    return stored;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'getMany') return getMany;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
};

const erasedBy = ({ id, position, metadata }: ErasedEvent): StoredKey => ({
  kind: 'erased',
  eventId: id,
  position,
  erasedAt: metadata.recorded_at,
});
