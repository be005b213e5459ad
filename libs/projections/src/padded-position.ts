/** Pads a position for an index, so that its order as text is that of positions. */
export const paddedPosition = (position: string): string => position.padStart(20, '0');
