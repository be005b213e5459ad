import type { PayoutTemplate } from './payout-template.js';

/** A file for people who review the payouts of a run. */
export const reviewCsv: PayoutTemplate = {
  statuses: ['created', 'processing'],
  rowsPerPart: Number.POSITIVE_INFINITY,
  forProvider: false,
  pays: () => true,
  header: [
    'payout_id',
    'affiliate_id',
    'name',
    'email',
    'amount',
    'amount_minor',
    'currency',
    'description',
    'status',
    'created_at',
    'payee_changed',
  ],
  row: ({ payout, name, recipient, amount, isChanged }) => [
    { text: payout.id },
    { text: payout.affiliate_id },
    { text: name },
    { text: recipient },
    { number: amount },
    { number: String(payout.amount) },
    { text: payout.currency },
    { text: payout.description ?? '' },
    { text: payout.status },
    { text: payout.created_at },
    { text: String(isChanged) },
  ],
  isUsable: () => true,
};
