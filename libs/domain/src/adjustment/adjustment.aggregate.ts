import type { AdjustmentRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { adjustmentDecider, type AdjustmentState } from './adjustment.decider.js';

/** Returns the record as the API shows it; undefined when there is no adjustment. */
export const adjustmentRecord = (state: AdjustmentState): AdjustmentRecord | undefined =>
  state.kind === 'present' ? state.record : undefined;

/** An adjustment's stream before its first event. */
export const adjustmentAggregate = recordFold('adjustment', adjustmentDecider, adjustmentRecord);
