/** Every day in UTC is this long. */
export const dayMs = 24 * 60 * 60 * 1_000;

/** Returns the day (UTC, `2026-11-22`) of an instant in milliseconds since 1970. */
export const dayOf = (milliseconds: number): string => {
  const number = Math.floor(milliseconds / dayMs);
  // reuse the last text: nearly all sales are payable on the same day, and formatting costs more
  if (number !== written.number)
    written = { number, day: new Date(milliseconds).toISOString().slice(0, 10) };
  return written.day;
};

let written = { number: Number.NaN, day: '' };
