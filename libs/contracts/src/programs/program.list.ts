import { z } from 'zod';
import { choiceFilter, listQueryWith, type ListSpec } from '../shared/list-spec.js';
import { programStatuses } from './program.record.js';

export const programList = {
  query: listQueryWith({
    status: choiceFilter('status', programStatuses),
    has_terms: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`false` lists only programs without terms, whose sales earn nothing unless their affiliate has terms of its own.',
      ),
  }),
  compared: { has_terms: (value) => ['has_terms', value === 'true'] },
  indexes: [
    { by: [], lowCardinality: ['status', 'has_terms'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;
