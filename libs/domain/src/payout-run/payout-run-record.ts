import type { PayoutRunEvent, PayoutRunRecord } from '@refledger/contracts';
import type { EventMeta } from '../decider.js';

export type PayoutRunStarted = Extract<PayoutRunEvent, { type: 'payout_run.started' }>;

/** Returns the record after an event; undefined when the run was never started. */
export const payoutRunAfter = (
  before: PayoutRunRecord | undefined,
  event: PayoutRunEvent,
  { revision, recordedAt }: EventMeta,
): PayoutRunRecord | undefined => {
  if (event.type === 'payout_run.started') return started(event.data, { revision, recordedAt });
  if (before === undefined) return undefined;
  const totals = event.type === 'payout_run.finished' ? shownTotals(event.data.totals) : undefined;
  return { ...before, ...event.data.after, ...(totals && { totals }), revision };
};

/** Returns the totals of a run as its record shows them. */
export const shownTotals = (
  totals: Extract<PayoutRunEvent, { type: 'payout_run.finished' }>['data']['totals'],
): PayoutRunRecord['totals'] =>
  totals.map(({ amount, ...total }) => ({ ...total, amount: BigInt(amount) }));

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const started = (
  { run_id, after, ...data }: PayoutRunStarted['data'],
  { revision, recordedAt }: EventMeta,
): PayoutRunRecord => ({
  id: run_id,
  object: 'payout_run',
  status: after.status,
  program_id: data.program_id,
  currency: data.currency,
  affiliate_ids: data.affiliate_ids,
  until: data.until,
  ignore_minimum: data.ignore_minimum,
  payouts: after.payouts,
  totals: [],
  marks: after.marks,
  position: data.position,
  description: after.description,
  metadata: after.metadata,
  created_at: recordedAt,
  finished_at: after.finished_at,
  revision,
});
