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
      return before && { ...before, ...event.data.after, ...touched(at) };
  }
};

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const created = (
  {
    conversion_id,
    affiliate_id,
    program_id,
    sale_currency,
    after,
    ...details
  }: ConversionCreated['data'],
  at: EventMeta,
): ConversionRecord => ({
  id: conversion_id,
  object: 'conversion',
  affiliate_id,
  program_id,
  status: after.status,
  sale_amount: after.sale_amount,
  sale_currency,
  commission_amount: after.commission_amount,
  ...details,
  metadata: after.metadata,
  reason: after.reason,
  payout_id: null,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  approved_at: null,
  revision: at.revision,
});
