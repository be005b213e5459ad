import { toPosition, type Position } from '@refledger/contracts';

/** A value that the driver accepts. It would refuse or lose a boolean, a date or undefined. */
export type SqlValue = string | number | bigint | null;

/** Converts the value of an indexed field for its column; a missing field becomes null. */
export const toColumn = (value: unknown, field: string): SqlValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(
    `the indexed field ${field} holds neither text, a number, a boolean nor null`,
  );
};

/** A position as SQLite stores it: a signed 64-bit integer. */
export const toInteger = (position: Position): number | bigint =>
  position.length <= 15 ? Number(position) : BigInt(position);

/** A position from the text that SQLite returns. Throws `TypeError` if it is none. */
export const fromInteger = (text: string): Position => {
  const position = toPosition(text);
  if (position === undefined) throw new TypeError(`${text} is not a position`);
  return position;
};
