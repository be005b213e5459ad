import { dayMs, dayOf } from '../day.js';

/** The earliest day on which a commission can be payable, in days before the sale was recorded. */
const maxDaysBack = 366;

/**
 * Returns the day (UTC, `2026-11-22`) from which the commission of a sale is payable: `holdDays`
 * days after the sale occurred, but no more than 366 days before it was recorded. Without this
 * floor, years of imported sales would make as many buckets as they have days. The instants are RFC
 * 3339 in UTC.
 */
export const payableOn = (
  { occurredAt, recordedAt }: { readonly occurredAt: string; readonly recordedAt: string },
  holdDays: number,
): string => {
  const payable = Date.parse(occurredAt) + holdDays * dayMs;
  const earliest = Date.parse(recordedAt) - maxDaysBack * dayMs;
  return dayOf(Math.max(payable, earliest));
};
