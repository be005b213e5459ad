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

/** Changes up to `limit` deliveries; the caller repeats the call for the others. */
type Divided<Name extends 'cancel' | 'hold' | 'holdRetries' | 'unholdReplays'> = (
  ...args: [...Parameters<DeliveryStore[Name]>, limit: number]
) => number;

/** The calls of the store, as the thread that has the file performs them. */
export interface SynchronousStore extends Synchronous<
  Omit<DeliveryStore, 'id' | 'cancel' | 'hold' | 'unholdReplays' | 'holdRetries' | 'find' | 'close'>
> {
  /** Reads the deliveries of a range; the caller makes pages of them. */
  findRange(range: DeliveryRange): readonly DeliverySummary[];
  readonly holdSome: Divided<'hold'>;
  readonly holdSomeRetries: Divided<'holdRetries'>;
  readonly unholdSomeReplays: Divided<'unholdReplays'>;
  /** Lets deliveries of replays wait for their turn again. */
  readonly waitAgainSome: Divided<'holdRetries'>;
  readonly cancelSome: Divided<'cancel'>;
}
