/** An instant as RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. */
export type Instant = string;

/** Formats milliseconds since 1970 as an instant. */
export const toInstant = (milliseconds: number): Instant => {
  // reuse the last text: many events share a millisecond, and formatting costs more than comparing
  if (milliseconds !== written.milliseconds)
    written = { milliseconds, instant: new Date(milliseconds).toISOString() };
  return written.instant;
};

/** Returns the calendar day in UTC of an instant. */
export const dayOf = (instant: Instant): string => instant.slice(0, '2026-01-31'.length);

let written = { milliseconds: Number.NaN, instant: '' };
