import { comparePositions, type RecordedEvent } from '@refledger/contracts';
import {
  decodeEvent,
  startingAppends,
  type EventMark,
  type LoggedEvent,
} from '@refledger/event-log';
import type { Projection } from '../projection.js';

/** An event that can't be processed, and why. */
interface EventFailure {
  readonly event: EventMark;
  readonly cause: unknown;
}

/** Whole appends of a batch, and those of their events that are not skipped. */
export interface DecodedBatch {
  readonly logged: readonly LoggedEvent[];
  readonly events: readonly RecordedEvent[];
  /** Why no further append is among them. */
  readonly failure?: EventFailure;
}

/**
 * Decodes the events of a batch in streams with this prefix, up to the first append with an event
 * that can't be decoded.
 */
export const decodeBatch = (
  logged: readonly LoggedEvent[],
  skipped: ReadonlySet<string>,
  prefix = '',
): DecodedBatch => {
  const events: RecordedEvent[] = [];
  for (const event of logged) {
    if (skipped.has(event.id) || !event.stream.startsWith(prefix)) continue;
    try {
      events.push(decodeEvent(event));
    } catch (cause) {
      return beforeFailure({ logged, events }, { event, cause });
    }
  }
  return { logged, events };
};

/** The appends before the one with the event that failed. */
export const beforeFailure = (
  { logged, events }: DecodedBatch,
  failure: EventFailure,
): DecodedBatch => {
  const at = logged.findIndex(({ id }) => id === failure.event.id);
  const before = startingAppends(logged.slice(0, at));
  const last = before.at(-1);
  const isBefore = ({ position }: RecordedEvent): boolean =>
    last !== undefined && comparePositions(position, last.position) <= 0;
  return { logged: before, events: events.filter(isBefore), failure };
};

/** The prefix of all streams that projections fold; undefined if they fold different ones. */
export const commonPrefix = (
  projections: readonly Pick<Projection, 'prefix'>[],
): string | undefined => {
  const [prefix, ...others] = new Set(projections.map((projection) => projection.prefix));
  return others.length === 0 ? prefix : undefined;
};
