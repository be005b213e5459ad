import { comparePositions, validationError, type Position } from '@refledger/contracts';
import type { PostedThrough } from '@refledger/application';

/** The month of a statement, as instants in UTC. */
export interface StatementPeriod {
  /** `2026-10` */
  readonly month: string;
  readonly from: string;
  /** The beginning of the next month. */
  readonly to: string;
}

/** Returns the period of a month. Throws `validation_failed` for one that has not begun. */
export const periodOf = (month: string, now: string): StatementPeriod => {
  const begin = new Date(`${month}-01T00:00:00.000Z`);
  const from = begin.toISOString();
  if (from > now)
    throw validationError([
      {
        path: 'month',
        code: 'too_large',
        message: `month is ${month}, but the time is ${now}. Send a month (UTC) that has begun.`,
      },
    ]);
  begin.setUTCMonth(begin.getUTCMonth() + 1);
  return { month, from, to: begin.toISOString() };
};

/**
 * Whether nothing can be added to a statement any more: posting had passed the end of its month,
 * and what was read at position `read` shows everything that had been posted by then. Read how far
 * posting has got before reading the statement.
 */
export const isFinal = (
  { to }: StatementPeriod,
  { logTime, postedPosition }: PostedThrough,
  read: Position | undefined,
): boolean => {
  const isOver = logTime !== null && logTime >= to;
  const isShown =
    postedPosition === undefined ||
    (read !== undefined && comparePositions(read, postedPosition) >= 0);
  return isOver && isShown;
};
