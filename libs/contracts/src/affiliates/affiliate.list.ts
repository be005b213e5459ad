import { emailParameterSchema } from '../email.js';
import {
  choiceFilter,
  idFilter,
  listQueryWith,
  textFilter,
  type ListSpec,
} from '../shared/list-spec.js';
import { text } from '../text.js';
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
    q: text({ min: 3, max: 255 })
      .optional()
      .describe(
        'Only those whose id, email or `external_id` starts with this text, or each word of it a word of their name: at least 3 characters without spaces around them, in any case. May be combined with every other parameter. Then a page may have fewer records than `limit`, or none, although more follow: continue while `has_more` is true.',
      ),
  }),
  // documents have no email and no external id: the gateway passes the hashes of the sent ones
  compared: {
    email: (hash) => ['email_hash', hash],
    external_id: (hash) => ['external_id_hash', hash],
    // the search finds documents by their terms
    q: null,
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
