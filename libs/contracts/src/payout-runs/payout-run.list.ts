import { z } from 'zod';
import { choiceFilter, listQuery, withCreatedBounds, type ListSpec } from '../shared/list-spec.js';
import { payoutRunStatuses } from './payout-run.record.js';

/** The list of payout runs. */
export const payoutRunList = {
  query: withCreatedBounds(
    z.strictObject({ ...listQuery, status: choiceFilter('status', payoutRunStatuses) }),
  ),
  compared: {},
  indexes: [
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
