import { toPosition, type Position } from '@refledger/contracts';

/** What the driver takes. A boolean, a date or undefined it would refuse or lose. */
export type SqlValue = string | number | bigint | null;

/** The value of an indexed field as a column holds it; a field that is missing is null. */
export const toColumn = (value: unknown, field: string): SqlValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(
    `the indexed field ${field} holds neither text, a number, a boolean nor null`,
  );
};

/** A position as SQLite holds it: a signed integer of 64 bits. */
export const toInteger = (position: Position): number | bigint =>
  position.length <= 15 ? Number(position) : BigInt(position);

/** A position as SQLite answers it, cast to text. */
export const fromInteger = (text: string): Position => {
  const position = toPosition(text);
  if (position === undefined) throw new TypeError(`${text} is not a position`);
  return position;
};
