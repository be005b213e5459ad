import { emailParameterSchema } from '../email.js';
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
  // documents have no email and no external id: the gateway passes the hashes of the sent ones
  compared: {
    email: (hash) => ['email_hash', hash],
    external_id: (hash) => ['external_id_hash', hash],
  },
  indexes: [
    { by: ['email_hash', 'external_id_hash'], lowCardinality: [], sparse: ['external_id_hash'] },
    { by: ['email_hash'], lowCardinality: [] },
    // any number of affiliates may share an external id
    {
      by: ['external_id_hash', 'program_id'],
      lowCardinality: ['status'],
      sparse: ['external_id_hash'],
    },
    { by: ['external_id_hash'], lowCardinality: ['status'], sparse: ['external_id_hash'] },
    { by: ['program_id'], lowCardinality: ['status'] },
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
