import type { Recorded } from '@refledger/contracts';
import { decodeEvent, type EventMark, type LoggedEvent } from '@refledger/event-log';

/** An event that can't be got past, and why. */
export interface Obstacle {
  readonly event: EventMark;
  readonly cause: unknown;
}

/** The events of a batch that are not skipped, understood, up to the first that can't be. */
export const understand = (
  logged: readonly LoggedEvent[],
  skipped: ReadonlySet<string>,
): { readonly events: readonly Recorded[]; readonly obstacle?: Obstacle } => {
  const events: Recorded[] = [];
  for (const event of logged) {
    if (skipped.has(event.id)) continue;
    try {
      events.push(decodeEvent(event));
    } catch (cause) {
      return { events, obstacle: { event, cause } };
    }
  }
  return { events };
};
