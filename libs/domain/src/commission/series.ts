import type { Terms } from '@refledger/contracts';

/** One of the sales to a customer that one affiliate referred. */
export interface SeriesSale {
  /** RFC 3339 in UTC with milliseconds. */
  readonly occurredAt: string;
  /**
   * When the customer's first recorded sale occurred. Null when this sale is the first, or names no
   * customer.
   */
  readonly firstOccurredAt: string | null;
}

/** Whether a sale's place among the sales to its customer lets it earn, or why it does not. */
export const placeInSeries = (
  { occurredAt, firstOccurredAt }: SeriesSale,
  recurring: Terms['recurring'],
): 'earning' | 'not_first' | 'after_duration' => {
  if (firstOccurredAt === null || recurring === 'every') return 'earning';
  if (recurring === 'first') return 'not_first';
  return occurredAt < monthsAfter(firstOccurredAt, recurring.months) ? 'earning' : 'after_duration';
};

/**
 * Returns the instant this many calendar months after another, in UTC. A day that the month does
 * not have becomes the month's last one.
 */
const monthsAfter = (instant: string, months: number): string => {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  // a day that the month lacks moved the date into the next month; day 0 is the day before that
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.toISOString();
};
