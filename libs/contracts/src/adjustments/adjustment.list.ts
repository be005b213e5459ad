import { normalizeCurrency } from '../money.js';
import {
  byPayee,
  choiceFilter,
  currencyFilter,
  idFilter,
  listQueryWith,
  type ListSpec,
} from '../shared/list-spec.js';
import { adjustmentStatuses } from './adjustment.record.js';

export const adjustmentList = {
  query: listQueryWith({
    affiliate_id: idFilter('affiliate'),
    program_id: idFilter('program'),
    currency: currencyFilter,
    status: choiceFilter('status', adjustmentStatuses),
  }),
  compared: { currency: (code) => ['currency', normalizeCurrency(code)] },
  indexes: byPayee,
} as const satisfies ListSpec;
