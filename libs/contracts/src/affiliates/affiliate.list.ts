import { emailKey, emailParameterSchema } from '../email.js';
import {
  choiceFilter,
  idFilter,
  listQueryWith,
  textFilter,
  type ListSpec,
} from '../shared/list-spec.js';
import { affiliateStatuses } from './affiliate.record.js';

export const affiliateList = {
  query: listQueryWith({
    program_id: idFilter('program'),
    status: choiceFilter('status', affiliateStatuses),
    email: emailParameterSchema
      .optional()
      .describe(
        'Only those with this address, compared ignoring case, and by the ASCII form of its domain.',
      ),
    external_id: textFilter(255),
  }),
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
