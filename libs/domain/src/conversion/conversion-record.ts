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

/**
 * The fields are in the order of the contract, so that a webhook's body reads like a response. An
 * event of an older release lacks the time of the sale, so the event's own time is used.
 */
const created = (
  {
    conversion_id,
    affiliate_id,
    program_id,
    sale_currency,
    occurred_at,
    payable_on,
    external_transaction_id,
    customer_id,
    after,
  }: ConversionCreated['data'],
  at: EventMeta,
): ConversionRecord => ({
  id: conversion_id,
  object: 'conversion',
  affiliate_id,
  program_id,
  status: after.status,
  occurred_at: occurred_at ?? at.recordedAt,
  sale_amount: after.sale_amount,
  refunded_amount: after.refunded_amount,
  sale_currency,
  commission_amount: after.commission_amount,
  commission: after.commission,
  payable_on: payable_on ?? at.recordedAt.slice(0, 10),
  external_transaction_id,
  customer_id,
  metadata: after.metadata,
  reason: after.reason,
  payout_id: after.payout_id,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  approved_at: null,
  revision: at.revision,
});
