import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { LeaseRequest } from '../read-store.js';

/** A stored lease; `_id` is its name, and `holder` is null once it has been given up. */
export interface LeaseEntry {
  readonly _id: string;
  readonly holder: string | null;
  /**
   * Milliseconds since 1970 by the server's clock. A number, because a stand-in for MongoDB treats
   * all dates as equal.
   */
  readonly until: bigint;
}

/**
 * Takes or renews a lease in one atomic step. Only the server's clock counts, never a client's. If
 * that was set back, a lease would seem to last for as long as the clock was ahead, so a lease that
 * ends much later than the one that is asked for counts as expired.
 */
export const holdLease = async (
  leases: Collection<LeaseEntry>,
  { name, holder, forMs }: LeaseRequest,
): Promise<boolean> => {
  const now = { $toLong: '$$NOW' };
  const until = { $ifNull: ['$until', 0] };
  const isHolder = {
    $or: [
      { $eq: ['$holder', holder] },
      { $lte: [until, now] },
      { $gt: [until, { $add: [now, 2 * forMs] }] },
    ],
  };
  const takeOver = {
    $set: {
      holder: { $cond: [isHolder, holder, '$holder'] },
      until: { $cond: [isHolder, { $add: [now, forMs] }, '$until'] },
    },
  };
  for (;;) {
    const lease = await leases
      .findOneAndUpdate({ _id: name }, [takeOver], { upsert: true, returnDocument: 'after' })
      // Two processes created the entry at the same time, so it exists now.
      .catch(ignoring(duplicateKey));
    if (lease !== undefined) return lease?.holder === holder;
  }
};

/** Gives the lease up if `holder` has it; otherwise does nothing. */
export const releaseLease = async (
  leases: Collection<LeaseEntry>,
  { name, holder }: Pick<LeaseRequest, 'name' | 'holder'>,
): Promise<void> => {
  await leases.updateOne({ _id: name, holder }, { $set: { holder: null, until: 0n } });
};
