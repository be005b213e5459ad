import { comparePositions, type Position } from '@refledger/contracts';

/** The earliest of several positions; undefined, which is before everything, when one of them is. */
export const earliestOf = ([first, ...others]: readonly (Position | undefined)[]):
  Position | undefined =>
  others.reduce(
    (earliest, other) =>
      earliest === undefined || other === undefined
        ? undefined
        : comparePositions(other, earliest) < 0
          ? other
          : earliest,
    first,
  );
