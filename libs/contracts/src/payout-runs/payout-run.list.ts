import { choiceFilter, listQueryWith, type ListSpec } from '../shared/list-spec.js';
import { payoutRunStatuses } from './payout-run.record.js';

export const payoutRunList = {
  query: listQueryWith({ status: choiceFilter('status', payoutRunStatuses) }),
  compared: {},
  indexes: [
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
