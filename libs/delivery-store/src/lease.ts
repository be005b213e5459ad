import { toInstant } from '@refledger/contracts/values';

/**
 * A dispatcher's right for a limited time: to the deliveries of one claim or, once renewed, to all
 * that it has claimed.
 */
export interface Lease {
  /** The dispatcher. */
  readonly holder: string;
  readonly leaseUntil: string;
  readonly now: string;
}

/**
 * The latest time at which another dispatcher's lease of the same length can end. One that ends
 * later was taken by a clock that was ahead, and no longer counts.
 */
export const latestLeaseEnd = ({ now, leaseUntil }: Lease): string => {
  const [from, until] = [Date.parse(now), Date.parse(leaseUntil)];
  return toInstant(until + (until - from));
};
