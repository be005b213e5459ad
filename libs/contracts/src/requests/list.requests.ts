import { z } from 'zod';
import { emailKey, emailParameterSchema } from '../email.js';
import { normaliseCurrency } from '../money.js';
import { affiliateStatuses } from '../affiliates/affiliate.record.js';
import { conversionStatuses } from '../conversions/conversion.record.js';
import { programStatuses } from '../programs/program.record.js';
import {
  choiceFilter,
  currencyFilter,
  idFilter,
  listQuery,
  textFilter,
  withCreatedBounds,
  type ListSpec,
} from '../shared/list-spec.js';

/** The list of conversions. */
export const conversionList = {
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      affiliate_id: idFilter('affiliate'),
      program_id: idFilter('program'),
      status: choiceFilter('status', conversionStatuses),
      external_transaction_id: textFilter(255),
      customer_id: textFilter(255),
      payout_id: idFilter('payout'),
      sale_currency: currencyFilter,
    }),
  ),
  compared: {
    external_transaction_id: null,
    sale_currency: (code) => ['sale_currency', normaliseCurrency(code)],
  },
  indexes: [
    { by: ['customer_id', 'affiliate_id'], lowCardinality: [], sparse: ['customer_id'] },
    { by: ['customer_id'], lowCardinality: [], sparse: ['customer_id'] },
    // a payout belongs to one affiliate and currency, so these have few values as well
    {
      by: ['payout_id'],
      lowCardinality: ['affiliate_id', 'program_id', 'status', 'sale_currency'],
      sparse: ['payout_id'],
    },
    { by: ['payout_id'], lowCardinality: [], sparse: ['payout_id'] },
    { by: ['affiliate_id'], lowCardinality: ['program_id', 'status', 'sale_currency'] },
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['status', 'sale_currency'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['status', 'sale_currency'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The list of affiliates. */
export const affiliateList = {
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      program_id: idFilter('program'),
      status: choiceFilter('status', affiliateStatuses),
      email: emailParameterSchema
        .optional()
        .describe(
          'Only those with this address, compared ignoring case, and by the ASCII form of its domain.',
        ),
      external_id: textFilter(255),
    }),
  ),
  compared: { email: (email) => ['email_key', emailKey(email)] },
  indexes: [
    { by: ['email_key', 'external_id'], lowCardinality: [], sparse: ['external_id'] },
    { by: ['email_key'], lowCardinality: [] },
    // any number of affiliates may share an external id
    { by: ['external_id', 'program_id'], lowCardinality: ['status'], sparse: ['external_id'] },
    { by: ['external_id'], lowCardinality: ['status'], sparse: ['external_id'] },
    { by: ['program_id'], lowCardinality: ['status'] },
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The list of programs. */
export const programList = {
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      status: choiceFilter('status', programStatuses),
      has_terms: z
        .enum(['true', 'false'])
        .optional()
        .describe(
          '`false` lists only programs without terms, whose sales earn nothing unless their affiliate has terms of its own.',
        ),
    }),
  ),
  compared: { has_terms: (value) => ['has_terms', value === 'true'] },
  indexes: [
    { by: [], lowCardinality: ['status', 'has_terms'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
