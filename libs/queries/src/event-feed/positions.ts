import type { Position } from '@refledger/contracts';

/** The events after one position, up to another one. */
export interface PositionRange {
  readonly after: Position;
  readonly through: Position;
}

/** Before the first event of every log. */
export const beginning = '0' as Position;

/** No log has a later position. */
export const lastPossible = '18446744073709551615' as Position;

/** The position right before this one, or the beginning. */
export const positionBefore = (position: Position): Position =>
  position === beginning ? beginning : (String(BigInt(position) - 1n) as Position);

export const positionAfter = (position: Position): Position =>
  String(BigInt(position) + 1n) as Position;
