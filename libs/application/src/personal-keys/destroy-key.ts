import {
  accountOf,
  isEventOf,
  type AffiliateEvent,
  type RecordedEvent,
} from '@refledger/contracts';
import { decodeEvent, type LoggedEvent } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';

/** An event that erased an affiliate. */
export type ErasedEvent = RecordedEvent<Extract<AffiliateEvent, { type: 'affiliate.erased' }>>;

/** The event if it erased an affiliate. Throws `UnreadableEvent`. */
export const erasedEvent = (logged: LoggedEvent): ErasedEvent | undefined => {
  if (logged.type !== erasedType) return undefined;
  const event = decodeEvent(logged);
  return isEventOf('affiliate', event) && event.type === erasedType ? event : undefined;
};

export const erasedType = 'affiliate.erased' satisfies AffiliateEvent['type'];

/**
 * Destroys the key of an erased affiliate permanently. Repeating it changes nothing. `erasedAt` is the
 * time now (RFC 3339).
 */
export const destroyKey = (
  keys: Pick<KeyStore, 'destroy'>,
  event: ErasedEvent,
  erasedAt: string,
): Promise<void> =>
  keys.destroy(event.data.affiliate_id, {
    accountId: accountOf(event),
    eventId: event.id,
    position: event.position,
    erasedAt,
  });
