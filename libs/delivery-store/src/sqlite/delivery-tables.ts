import type { EndpointId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import type { DeliveryRange } from '../delivery-query.js';
import type { DeliveryStore } from '../delivery-store.js';
import type { DeliverySummary } from '../delivery.js';
import { countKeeper, Tally } from './counts.js';
import { offsetKeeper } from './offsets.js';
import { prepareStatements } from './statements.js';

/** The prepared statements, offsets and counts that the calls of the store work with. */
export const deliveryTables = (db: Database) => {
  const counts = countKeeper(db);
  return {
    statements: prepareStatements(db),
    offsets: offsetKeeper(db),
    counts,
    /** Runs `work`, and writes its changes to the counts. */
    counted: <T>(work: (tally: Tally) => T): T => {
      const tally = new Tally();
      const value = work(tally);
      counts.write(tally);
      return value;
    },
  };
};

export type DeliveryTables = ReturnType<typeof deliveryTables>;

type Synchronous<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Value>
    ? (...args: Args) => Value
    : never;
};

/** The calls of the store, as the thread that has the file performs them. */
export interface SynchronousStore extends Synchronous<
  Omit<DeliveryStore, 'id' | 'cancel' | 'hold' | 'unholdReplays' | 'holdRetries' | 'find' | 'close'>
> {
  /** Reads the deliveries of a range; the caller makes pages of them. */
  findRange(range: DeliveryRange): readonly DeliverySummary[];
  /** Holds up to `limit` deliveries; the caller repeats the call for the others. */
  holdSome(...args: [...Parameters<DeliveryStore['hold']>, limit: number]): number;
  /** Holds up to `limit` deliveries; the caller repeats the call for the others. */
  holdSomeRetries(...args: [...Parameters<DeliveryStore['holdRetries']>, limit: number]): number;
  /** Unholds up to `limit` deliveries; the caller repeats the call for the others. */
  unholdSomeReplays(endpoint: EndpointId, limit: number): number;
  /**
   * Lets up to `limit` deliveries of replays wait for their turn again; the caller repeats the
   * call.
   */
  waitAgainSome(...args: [...Parameters<DeliveryStore['holdRetries']>, limit: number]): number;
  /** Cancels up to `limit` deliveries; the caller repeats the call for the others. */
  cancelSome(...args: [...Parameters<DeliveryStore['cancel']>, limit: number]): number;
}
