import type { EndpointId } from '@refledger/contracts';
import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { Collection } from 'mongodb';
import type { SchedulerStore } from '../scheduler-store.js';
import { bucketSize, nextIn } from '../token-bucket.js';

/** The bucket of an endpoint, and what the last call took from it. */
export interface RateDocument {
  readonly _id: EndpointId;
  /** When it is full again: milliseconds since 1970 by the server's clock. */
  readonly full_at: number;
  /** How many milliseconds' worth of tokens it lacked before that call. */
  readonly missing_ms: number;
  readonly taken: number;
}

/**
 * The method of the store that takes tokens of an endpoint's rate: `takeAll` as one atomic step, by
 * the server's clock.
 */
export const rates = (buckets: Collection<RateDocument>): Pick<SchedulerStore, 'takeTokens'> => ({
  async takeTokens(endpoint, perSecond) {
    const size = bucketSize(perSecond);
    const { intervalMs, burstMs } = size;
    const now = { $toLong: '$$NOW' };
    const untilFull = { $subtract: [{ $ifNull: ['$full_at', 0] }, now] };
    const missing_ms = { $min: [{ $max: [untilFull, 0] }, burstMs] };
    const taken = { $floor: { $divide: [{ $subtract: [burstMs, '$missing_ms'] }, intervalMs] } };
    const full_at = { $add: [now, '$missing_ms', { $multiply: ['$taken', intervalMs] }] };
    for (;;) {
      const bucket = await buckets
        .findOneAndUpdate(
          { _id: endpoint },
          [{ $set: { missing_ms } }, { $set: { taken } }, { $set: { full_at } }],
          { upsert: true, returnDocument: 'after' },
        )
        // two dispatchers created it at once, so it exists now
        .catch(ignoring(duplicateKey));
      if (!bucket) continue;
      const missingMs = bucket.missing_ms + bucket.taken * intervalMs;
      return { taken: bucket.taken, nextInMs: nextIn(missingMs, size) };
    }
  },
});
