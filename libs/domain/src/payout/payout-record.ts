import type { PayoutEvent, PayoutRecord } from '@refledger/contracts';
import { touched, type EventMeta } from '../decider.js';

export type PayoutCreated = Extract<PayoutEvent, { type: 'payout.created' }>;

/** Returns the record after an event; undefined when the payout was never created. */
export const payoutAfter = (
  before: PayoutRecord | undefined,
  event: PayoutEvent,
  at: EventMeta,
): PayoutRecord | undefined =>
  event.type === 'payout.created'
    ? created(event.data, at)
    : before && { ...before, ...event.data.after, ...touched(at) };

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const created = (data: PayoutCreated['data'], at: EventMeta): PayoutRecord => ({
  id: data.payout_id,
  object: 'payout',
  affiliate_id: data.affiliate_id,
  program_id: data.program_id,
  balance_id: data.balance_id,
  run_id: data.run_id,
  status: data.after.status,
  currency: data.currency,
  amount: Number(data.amount),
  entry_count: data.entry_count,
  until: data.until,
  description: data.description,
  reference: data.after.reference,
  reason: data.after.reason,
  metadata: data.after.metadata,
  payee_revision: data.payee_revision,
  chain: data.chain,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  completed_at: data.after.completed_at,
  revision: at.revision,
});
