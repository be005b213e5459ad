import type { Row } from './row.js';

/** The rows that are named, in the table's order; without names all of the embedded engines, or of the distributed, that don't run by name only. Throws a RangeError for a name that no row has. */
export const chooseRows = (
  rows: readonly Row[],
  names: readonly string[],
  distributed = false,
): readonly Row[] => {
  const unknown = names.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0)
    throw new RangeError(`there is no row ${unknown.join(', ')}: --list names them all`);
  return rows.filter(({ name, onlyByName, isDistributed = false }) =>
    names.length === 0
      ? onlyByName !== true && isDistributed === distributed
      : names.includes(name),
  );
};
