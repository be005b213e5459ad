import { bucketSize, takeAll } from '../token-bucket.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';

/** The call that takes tokens of an endpoint's rate. The time is that of this machine. */
export const rates = ({ statements }: DeliveryTables) =>
  ({
    takeTokens(endpoint, perSecond) {
      const fullAt = statements.rate.get(endpoint)?.fullAt ?? 0;
      const took = takeAll(fullAt, Date.now(), bucketSize(perSecond));
      if (took.tokens.taken > 0) statements.putRate.run(endpoint, took.fullAt);
      return took.tokens;
    },
  }) satisfies Partial<SynchronousStore>;
