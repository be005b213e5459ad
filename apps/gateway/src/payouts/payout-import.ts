import {
  isId,
  operations,
  type ImportPayout,
  type PayoutId,
  type UpdatePayout,
} from '@refledger/contracts';
import type { Outcome } from '@refledger/application';
import { notFound } from '@refledger/queries';
import { lineReader } from '../http/request/request-input.js';
import type { ImportKind } from '../imports/run-import.js';

type Update = (
  id: PayoutId,
  patch: UpdatePayout,
) => Promise<Pick<Outcome<unknown, unknown>, 'events' | 'position'>>;

/** Updates payouts, by the rules of a PATCH. */
export const payoutImport = (update: Update): ImportKind<ImportPayout> => ({
  read: readLine,
  recordOf: ({ payout_id }) => payout_id,
  run: async ({ payout_id: id, ...patch }) => {
    if (!isId('payout', id)) throw notFound('payout', id);
    const { events, position } = await update(id, patch);
    return { id, position, how: events.length > 0 ? 'updated' : 'replayed' };
  },
});

const readLine = lineReader(operations.importPayouts);
