import { isId, operations, type ImportPayout } from '@refledger/contracts';
import { newContext } from '@refledger/application';
import { notFound } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { lineReader } from '../http/request/request-input.js';
import type { ImportKind } from '../imports/run-import.js';
import type { RecordChanges } from '../record-changes.js';
import { payoutRecords } from './payout-records.js';

/** Updates payouts, by the rules of a PATCH. */
export const payoutImport = (
  changes: Pick<RecordChanges, 'apply'>,
  { caller, context }: Pick<Call<'importPayouts'>, 'caller' | 'context'>,
): ImportKind<ImportPayout> => ({
  read: readLine,
  recordOf: ({ payout_id }) => payout_id,
  run: async ({ payout_id, ...patch }) => {
    if (!isId('payout', payout_id)) throw notFound('payout', payout_id);
    const { events, position } = await changes.apply(
      payoutRecords,
      { caller, context: newContext(context), id: payout_id, ifMatch: undefined },
      (_, recordedAt) => ({ payout_id, patch, recordedAt }),
    );
    return { id: payout_id, position, how: events.length > 0 ? 'updated' : 'replayed' };
  },
});

const readLine = lineReader(operations.importPayouts);
