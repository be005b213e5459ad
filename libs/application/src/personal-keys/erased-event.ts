import { isEventOf, type AffiliateEvent, type RecordedEvent } from '@refledger/contracts';
import { decodeEvent, type LoggedEvent } from '@refledger/event-log';

/** An event that erased an affiliate. */
export type ErasedEvent = RecordedEvent<Extract<AffiliateEvent, { type: 'affiliate.erased' }>>;

/** The event if it erased an affiliate. Throws `UnreadableEvent`. */
export const erasedEvent = (logged: LoggedEvent): ErasedEvent | undefined => {
  if (logged.type !== erasedType) return undefined;
  const event = decodeEvent(logged);
  return isEventOf('affiliate', event) && event.type === erasedType ? event : undefined;
};

export const erasedType = 'affiliate.erased' satisfies AffiliateEvent['type'];
