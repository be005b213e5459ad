import {
  comparePositions,
  isPosition,
  validationError,
  type CreateReplay,
  type Position,
} from '@refledger/contracts';
import type { Consistency, Reader } from '@refledger/application';
import {
  aheadOfTheLog,
  pastTime,
  positionAt,
  type AsOfParts,
  type Bound,
} from '../history/as-of.js';

/** The events after one position, up to another one. */
export interface ReplayRange {
  readonly since: Position;
  readonly until: Position;
}

/** What is needed to find the positions of a range. */
export interface ReplayRangeParts extends AsOfParts {
  readonly consistency: Pick<Consistency, 'settleLog' | 'readHead'>;
}

/** Before the first event of every log. */
export const beginning = '0' as Position;

/**
 * The range that a request names by positions or times. A position in `since` is exclusive, a time
 * is inclusive; `until` is inclusive, and the end of the log by default. Throws `validation_failed`
 * for a bound ahead of the log or of the clock, and for a range that ends before it begins.
 */
export const replayRange = async (
  { since, until }: Pick<CreateReplay, 'since' | 'until'>,
  reader: Reader,
  parts: ReplayRangeParts,
): Promise<ReplayRange> => {
  const positionOf = async (text: string, bound: Bound, backMs: number): Promise<Position> => {
    if (!isPosition(text)) {
      const time = pastTime(text, parts.commands.instant(), bound);
      return (await positionAt(time - backMs, reader, parts)) ?? beginning;
    }
    await parts.consistency.settleLog(reader, text, (asked) => aheadOfTheLog(asked, bound));
    return text;
  };
  // what was recorded at the time itself is after the position of the millisecond before it
  const from = await positionOf(since, sinceField, 1);
  const to =
    until === undefined
      ? ((await parts.consistency.readHead()) ?? beginning)
      : await positionOf(until, untilField, 0);
  if (comparePositions(from, to) > 0) throw endsBeforeItStarts(since, until);
  return { since: from, until: to };
};

const sinceField: Bound = { name: 'since', path: '/since' };
const untilField: Bound = { name: 'until', path: '/until' };

const endsBeforeItStarts = (since: string, until: string | undefined) =>
  validationError({
    path: sinceField.path,
    code: 'too_large',
    message: `since is ${since}, but ${until === undefined ? 'the event log ends before it' : `until is ${until}`}. Send a since that is not after ${until === undefined ? 'the end of the event log' : 'until'}.`,
  });
