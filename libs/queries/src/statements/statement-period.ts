import { comparePositions, validationError, type Position } from '@refledger/contracts';
import type { PostedThrough } from '@refledger/application';
import { isFarAhead } from '@refledger/domain';

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
    throw validationError({
      path: 'month',
      code: 'too_large',
      message: `month is ${month}, but the time is ${now}. Send a month (UTC) that has started.`,
    });
  begin.setUTCMonth(begin.getUTCMonth() + 1);
  return { month, from, to: begin.toISOString() };
};

/**
 * Whether nothing can be added to a statement any more: posting and the clock had passed the end of
 * its month, log time is not one that an operator may still correct, and what was read at position
 * `read` shows everything that had been posted by then. Read how far posting has got before reading
 * the statement. `now` is in milliseconds since 1970.
 */
export const isFinal = (
  { to }: StatementPeriod,
  { logTime, postedPosition }: Pick<PostedThrough, 'logTime' | 'postedPosition'>,
  { read, now }: { readonly read: Position | undefined; readonly now: number },
): boolean => {
  const isOver =
    logTime !== null && logTime >= to && now >= Date.parse(to) && !isFarAhead(logTime, now);
  const isShown =
    postedPosition === undefined ||
    (read !== undefined && comparePositions(read, postedPosition) >= 0);
  return isOver && isShown;
};
