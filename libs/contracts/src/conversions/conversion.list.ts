import { normalizeCurrency } from '../money.js';
import {
  choiceFilter,
  currencyFilter,
  idFilter,
  listQueryWith,
  textFilter,
  type ListSpec,
} from '../shared/list-spec.js';
import { conversionStatuses } from './conversion.record.js';

export const conversionList = {
  query: listQueryWith({
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    status: choiceFilter('status', conversionStatuses),
    external_transaction_id: textFilter(255),
    customer_id: textFilter(255),
    payout_id: idFilter('payout'),
    sale_currency: currencyFilter,
  }),
  compared: {
    external_transaction_id: null,
    sale_currency: (code) => ['sale_currency', normalizeCurrency(code)],
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
