/** Returns the day (UTC, `2026-01-31`) that is this many days after an instant. */
export const daysAfter = (instant: string, days: number): string =>
  new Date(Date.parse(instant) + days * 86_400_000).toISOString().slice(0, 10);
