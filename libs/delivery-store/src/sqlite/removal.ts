import type { Tally } from './counts.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { EndedRow, Statements } from './statements.js';

/**
 * The calls that remove deliveries that ended long ago, and end those that have been held for too
 * long.
 */
export const removal = ({ statements, counted, offsets }: DeliveryTables) =>
  ({
    expire: (before, limit) =>
      counted((tally) => {
        offsets.raiseEndedBefore(before);
        statements.removeRates.run(Date.parse(before));
        return removeAll(statements, statements.ended.all(before, limit), tally);
      }),

    sweep: (which, { reason, now, limit }) =>
      counted((tally) => {
        const how = { reason, now, limit };
        const swept =
          'accountId' in which
            ? statements.sweepAccount.all({ ...how, of: which.accountId })
            : which.createdBefore === undefined
              ? statements.sweepEndpoint.all({ ...how, of: which.endpointId })
              : statements.sweepOlder.all({
                  ...how,
                  of: which.endpointId,
                  before: which.createdBefore,
                });
        for (const { endpointId } of swept) tally.move(endpointId, 'held', 'canceled');
        return swept.length;
      }),

    removeSwept: (before, limit) =>
      counted((tally) => {
        const swept = statements.swept.all(before, limit);
        for (const { endpointId, position, trigger } of swept)
          if (trigger === 'event') statements.noteRemoved.run(endpointId, position);
        return removeAll(statements, swept, tally);
      }),
  }) satisfies Partial<SynchronousStore>;

/** Removes deliveries with their bodies. Returns how many. */
const removeAll = (statements: Statements, rows: readonly EndedRow[], tally: Tally): number => {
  for (const { seq, endpointId, status } of rows) {
    statements.removeKeys.run(seq);
    statements.remove.run(seq);
    statements.removeBody.run(seq);
    tally.move(endpointId, status, undefined);
  }
  return rows.length;
};
