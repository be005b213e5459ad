import type { AdjustmentEvent, AdjustmentRecord } from '@refledger/contracts';
import { touched, type EventMeta } from '../decider.js';

export type AdjustmentCreated = Extract<AdjustmentEvent, { type: 'adjustment.created' }>;

/** Returns the record after an event; undefined when the adjustment was never created. */
export const adjustmentAfter = (
  before: AdjustmentRecord | undefined,
  event: AdjustmentEvent,
  at: EventMeta,
): AdjustmentRecord | undefined => {
  switch (event.type) {
    case 'adjustment.created':
      return created(event.data, at);
    case 'adjustment.updated':
    case 'adjustment.voided':
      return before && { ...before, ...event.data.after, ...touched(at) };
  }
};

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const created = (data: AdjustmentCreated['data'], at: EventMeta): AdjustmentRecord => ({
  id: data.adjustment_id,
  object: 'adjustment',
  affiliate_id: data.affiliate_id,
  program_id: data.program_id,
  status: data.after.status,
  currency: data.currency,
  amount: data.amount,
  description: data.description,
  payable_on: data.payable_on,
  external_id: data.external_id,
  metadata: data.after.metadata,
  reason: data.after.reason,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  revision: at.revision,
});
