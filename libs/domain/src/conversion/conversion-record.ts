import type { ConversionEvent, ConversionRecord } from '@refledger/contracts';
import { touched, type EventMeta } from '../decider.js';

export type ConversionCreated = Extract<ConversionEvent, { type: 'conversion.created' }>;

/** Returns the record after an event; undefined when the conversion was never created. */
export const conversionAfter = (
  before: ConversionRecord | undefined,
  event: ConversionEvent,
  at: EventMeta,
): ConversionRecord | undefined => {
  switch (event.type) {
    case 'conversion.created':
      return created(event.data, at);
    case 'conversion.approved':
      return (
        before && { ...before, ...event.data.after, approved_at: at.recordedAt, ...touched(at) }
      );
    case 'conversion.updated':
    case 'conversion.rejected':
    case 'conversion.refunded':
    case 'conversion.paid':
    case 'conversion.unpaid':
      return before && { ...before, ...event.data.after, ...touched(at) };
  }
};

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const created = (data: ConversionCreated['data'], at: EventMeta): ConversionRecord => ({
  id: data.conversion_id,
  object: 'conversion',
  affiliate_id: data.affiliate_id,
  program_id: data.program_id,
  status: data.after.status,
  occurred_at: data.occurred_at,
  sale_amount: data.after.sale_amount,
  refunded_amount: data.after.refunded_amount,
  sale_currency: data.sale_currency,
  commission_amount: data.after.commission_amount,
  commission: data.after.commission,
  payable_on: data.payable_on,
  external_transaction_id: data.external_transaction_id,
  customer_id: data.customer_id,
  metadata: data.after.metadata,
  reason: data.after.reason,
  payout_id: data.after.payout_id,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  approved_at: null,
  revision: at.revision,
});
