import type { PayoutRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { payoutDecider, type PayoutState } from './payout.decider.js';

/** Returns the record as the API shows it; undefined when there is no payout. */
export const payoutRecord = (state: PayoutState): PayoutRecord | undefined =>
  state.kind === 'present' ? state.record : undefined;

/** A payout's stream before its first event. */
export const payoutAggregate = recordFold('payout', payoutDecider, payoutRecord);
