import type { Database } from '@refledger/sqlite';
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

/** These cast untyped rows of the driver. */
export const many = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
export const one = <Row>(row: unknown): Row | undefined => row as Row | undefined;
