import { isId, streams, type AffiliateEvent, type AffiliateId } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';

/**
 * An event that erased an affiliate. Its type and its stream say so, and its data is not decoded: an
 * event that this release cannot read erases as well, and prevents no start.
 */
export interface ErasedEvent extends LoggedEvent {
  readonly type: typeof erasedType;
  readonly affiliateId: AffiliateId;
}

/** The event if it erased an affiliate. */
export const erasedEvent = (logged: LoggedEvent): ErasedEvent | undefined => {
  if (logged.type !== erasedType || !logged.stream.startsWith(streams.allAffiliates))
    return undefined;
  const affiliateId = logged.stream.slice(streams.allAffiliates.length);
  return isId('affiliate', affiliateId) ? { ...logged, type: erasedType, affiliateId } : undefined;
};

export const erasedType = 'affiliate.erased' satisfies AffiliateEvent['type'];
