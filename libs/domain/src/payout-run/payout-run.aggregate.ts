import type { PayoutRunRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { payoutRunDecider, type PayoutRunState } from './payout-run.decider.js';

/** Returns the record as the API shows it; undefined when there is no run. */
export const payoutRunRecord = (state: PayoutRunState): PayoutRunRecord | undefined =>
  state.kind === 'present' ? state.record : undefined;

/** A payout run's stream before its first event. */
export const payoutRunAggregate = recordFold('payout_run', payoutRunDecider, payoutRunRecord);
