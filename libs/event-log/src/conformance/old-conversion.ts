import { randomUUID } from 'node:crypto';
import type { ConversionRecord } from '@refledger/contracts';
import type { NewEvent } from '../event-log.js';

const about = {
  conversion_id: 'conv_a',
  affiliate_id: 'aff_a',
  program_id: 'prog_a',
  sale_currency: 'USD',
};
const pending = {
  status: 'pending',
  sale_amount: 4_950,
  commission_amount: 0,
  reason: null,
  metadata: {},
};
const approved = { ...pending, status: 'approved' };
const refunded = { ...pending, status: 'refunded', reason: 'returned' };

/** The events of a refunded conversion, as releases without commissions recorded them. */
export const oldConversion = (): readonly NewEvent[] => [
  recorded('created', { after: pending }, '2026-01-31T23:59:59.999Z'),
  recorded('approved', { before: pending, after: approved }, '2026-02-01T09:30:00.000Z'),
  recorded('refunded', { before: approved, after: refunded }, '2026-02-02T09:30:00.000Z'),
];

/** The record that they make. */
export const oldConversionRecord = {
  id: 'conv_a',
  object: 'conversion',
  affiliate_id: 'aff_a',
  program_id: 'prog_a',
  status: 'refunded',
  occurred_at: '2026-01-31T23:59:59.999Z',
  sale_amount: 4_950,
  refunded_amount: 4_950,
  sale_currency: 'USD',
  commission_amount: 0,
  commission: {
    source: 'none',
    terms_version: null,
    type: null,
    rate_bps: null,
    why: 'no_terms',
  },
  payable_on: '2026-01-31',
  external_transaction_id: null,
  customer_id: null,
  metadata: {},
  reason: 'returned',
  payout_id: null,
  created_at: '2026-01-31T23:59:59.999Z',
  updated_at: '2026-02-02T09:30:00.000Z',
  approved_at: '2026-02-01T09:30:00.000Z',
  revision: 2,
} satisfies ConversionRecord;

const recorded = (kind: string, data: object, recorded_at: string): NewEvent => ({
  id: randomUUID(),
  type: `conversion.${kind}`,
  data: { ...about, ...data },
  metadata: { account_id: null, actor: 'conformance', request_id: 'r', schema: 1, recorded_at },
});
