const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Parses `200ms`, `5s`, `2m` or `10h` to milliseconds; undefined when the text is not a duration.
 */
export const parseDuration = (text: string): number | undefined => {
  const [, amount, unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = units[unit];
  return ms && Number(amount) * ms;
};
