import type { Row } from './row.js';

/**
 * The named rows, in the table's order. Without names: all rows of the embedded engines, or of the
 * distributed ones, except those that only run by name. Throws a RangeError for an unknown name.
 */
export const chooseRows = (
  rows: readonly Row[],
  names: readonly string[],
  distributed = false,
): readonly Row[] => {
  const unknown = names.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0)
    throw new RangeError(`there is no row ${unknown.join(', ')}. Run with --list to see all rows.`);
  return rows.filter(({ name, onlyByName, isDistributed = false }) =>
    names.length === 0
      ? onlyByName !== true && isDistributed === distributed
      : names.includes(name),
  );
};
