import type { Recorded } from '@refledger/contracts';
import { decodeEvent, type EventMark, type LoggedEvent } from '@refledger/event-log';

/** An event that can't be processed, and why. */
export interface EventFailure {
  readonly event: EventMark;
  readonly cause: unknown;
}

/** Decodes the events of a batch that are not skipped, up to the first that can't be decoded. */
export const decodeBatch = (
  logged: readonly LoggedEvent[],
  skipped: ReadonlySet<string>,
): { readonly events: readonly Recorded[]; readonly failure?: EventFailure } => {
  const events: Recorded[] = [];
  for (const event of logged) {
    if (skipped.has(event.id)) continue;
    try {
      events.push(decodeEvent(event));
    } catch (cause) {
      return { events, failure: { event, cause } };
    }
  }
  return { events };
};
