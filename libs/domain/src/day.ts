/** Every day in UTC is this long. */
export const dayMs = 24 * 60 * 60 * 1_000;

/** Returns the day (UTC, `2026-11-22`) of an instant in milliseconds since 1970. */
export const dayOf = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 10);
