import type { Position } from '@refledger/contracts';
import { toKey } from '../document.js';

/** A value that the driver accepts. It would refuse or lose a boolean, a date or undefined. */
export type SqlValue = string | number | bigint | null;

/** Converts the value of an indexed field for its column; a missing field becomes null. */
export const toColumn = (value: unknown, field: string): SqlValue => {
  const key = toKey(value, field);
  return typeof key === 'boolean' ? Number(key) : key;
};

/** A position as SQLite stores it: a signed 64-bit integer. */
export const toInteger = (position: Position): number | bigint =>
  position.length <= 15 ? Number(position) : BigInt(position);
