import type { ThrottledReads } from '@refledger/application';
import { comparePositions, laterOf, type AccountId, type Position } from '@refledger/contracts';
import type { AccountEvent, AccountEvents, FoundEvents } from '@refledger/projections';
import { beginning, positionAfter, positionBefore, type PositionRange } from './positions.js';

/** Which of an account's events are looked for. */
export interface EventSearch {
  readonly accountId: AccountId;
  readonly range: PositionRange;
  readonly newestFirst: boolean;
  /** At most this many. */
  readonly limit: number;
  /** Undefined: all are wanted. */
  readonly isWanted: ((event: AccountEvent) => boolean) | undefined;
}

/** What was found among the events that were looked at. */
export interface WalkedEvents {
  readonly events: readonly AccountEvent[];
  /** Whether further events of the range were not looked at. */
  readonly hasMore: boolean;
  /** Where to continue: all events of the range up to here, or from here on, were looked at. */
  readonly next: Position;
  /** The index has every event up to here, and nothing later was looked at. */
  readonly reached: Position;
}

/**
 * Looks at an account's events in steps that leave time for other requests, until it has found
 * enough or has looked at 10,000.
 */
export const walkEvents = async (
  index: Pick<AccountEvents, 'read'>,
  search: EventSearch,
  throttledReads: Pick<ThrottledReads, 'batches'>,
): Promise<WalkedEvents> => {
  const { limit, isWanted = () => true } = search;
  const events: AccountEvent[] = [];
  let reached = beginning;
  let looked = 0;
  for await (const step of throttledReads.batches(stepsOf(index, search))) {
    reached = step.reached ?? reached;
    looked += step.events.length;
    events.push(...step.events.filter(isWanted));
    const next = events.length > limit ? events[limit - 1] : step.events.at(-1);
    if (next !== undefined && (events.length > limit || looked >= mostLookedAt))
      return { events: events.slice(0, limit), hasMore: true, next: next.position, reached };
  }
  return { events, hasMore: false, next: endOf(search, reached), reached };
};

/** Where to continue once all of the range was looked at, as far as the index has reached. */
const endOf = ({ range, newestFirst }: EventSearch, reached: Position): Position => {
  if (newestFirst) return positionAfter(range.after);
  const end = comparePositions(reached, range.through) < 0 ? reached : range.through;
  return laterOf(range.after, end) ?? end;
};

async function* stepsOf(
  index: Pick<AccountEvents, 'read'>,
  { accountId, range, newestFirst, limit, isWanted }: EventSearch,
): AsyncGenerator<FoundEvents> {
  const size = isWanted === undefined ? limit + 1 : stepSize;
  let { after, through } = range;
  let reached: Position | undefined;
  for (;;) {
    const found = await index.read({ accountId, after, through, newestFirst, limit: size });
    // all steps show the same part of the log
    reached ??= found.reached;
    if (reached !== undefined && comparePositions(reached, through) < 0) through = reached;
    yield { events: found.events, reached };
    const last = found.events.at(-1);
    if (last === undefined || found.events.length < size) return;
    if (newestFirst) through = positionBefore(last.position);
    else after = last.position;
  }
}

const stepSize = 500;
const mostLookedAt = 10_000;
