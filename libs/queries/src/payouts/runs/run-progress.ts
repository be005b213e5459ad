import type { PayoutRunRecord } from '@refledger/contracts';
import { shownTotals } from '@refledger/domain';
import { payoutRunsProjection, type PayoutRunDocument } from '@refledger/projections';
import type { ReadModels, ReadContext } from '../../read-models.js';

/** An unfinished run with what it has paid so far, which its own stream does not say. */
export const withProgress = async (
  readModels: Pick<ReadModels, 'get'>,
  run: PayoutRunRecord,
  context: ReadContext,
): Promise<PayoutRunRecord> => {
  if (run.status === 'finished') return run;
  const { value } = await readModels.get(payoutRunsProjection, run.id, context);
  if (value === undefined) return run;
  // a decoding boundary: the projection wrote this document
  const { record, totals } = value as PayoutRunDocument;
  const { created } = record.payouts;
  return { ...run, payouts: { ...run.payouts, created }, totals: shownTotals(totals) };
};
