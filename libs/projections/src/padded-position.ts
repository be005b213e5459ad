import type { Position } from '@refledger/contracts';

/** Pads a position for an index, so that its order as text is that of positions. */
export const paddedPosition = (position: string): string => position.padStart(20, '0');

/** The position that was padded. */
export const unpaddedPosition = (padded: string): Position =>
  // decoding boundary: only positions are padded
  padded.replace(/^0+(?=.)/, '') as Position;

/** The position right after this one, padded. As an exclusive upper bound it includes this one. */
export const paddedAfter = (position: Position): string =>
  paddedPosition(String(BigInt(position) + 1n));
