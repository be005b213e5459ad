import { MongoServerError, type Collection } from 'mongodb';
import type { LeaseRequest } from '../read-store.js';

export interface LeaseEntry {
  readonly _id: string;
  readonly holder: string | null;
  /** Milliseconds since 1970 by the server's clock: compared as numbers, since a stand-in for MongoDB takes all dates for equal. */
  readonly until: bigint;
}

/** Takes or renews a lease by the server's clock, in one atomic step: no clock of a client has a say. */
export const holdLease = async (
  leases: Collection<LeaseEntry>,
  { name, holder, forMs }: LeaseRequest,
): Promise<boolean> => {
  const now = { $toLong: '$$NOW' };
  const isOurs = {
    $or: [{ $eq: ['$holder', holder] }, { $lte: [{ $ifNull: ['$until', 0] }, now] }],
  };
  const takeOver = {
    $set: {
      holder: { $cond: [isOurs, holder, '$holder'] },
      until: { $cond: [isOurs, { $add: [now, forMs] }, '$until'] },
    },
  };
  for (;;) {
    try {
      return (
        (
          await leases.findOneAndUpdate({ _id: name }, [takeOver], {
            upsert: true,
            returnDocument: 'after',
          })
        )?.holder === holder
      );
    } catch (error) {
      // two made the entry at once: it is there now
      if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
    }
  }
};

export const releaseLease = async (
  leases: Collection<LeaseEntry>,
  { name, holder }: Pick<LeaseRequest, 'name' | 'holder'>,
): Promise<void> => {
  await leases.updateOne({ _id: name, holder }, { $set: { holder: null, until: 0n } });
};
