import { comparePositions, type Position } from '@refledger/contracts';

/** The earliest of several positions. Undefined means before all events, so it wins. */
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
