import { laterOf, type Position } from '@refledger/contracts';
import type { ReadContext } from '@refledger/queries';
import { positionHeader } from '../records.js';

/** The headers of a response with records as they were at a position. */
export const asOfHeaders = (
  asOf: Position,
  { minPosition }: Pick<ReadContext, 'minPosition'>,
): Readonly<Record<string, string>> => ({
  ...positionHeader(laterOf(asOf, minPosition)),
  'refledger-as-of': asOf,
});
