import { listQueryWith, type ListSpec } from '../shared/list-spec.js';

export const erasureList = {
  query: listQueryWith({}),
  compared: {},
  indexes: [{ by: [], lowCardinality: [] }],
} as const satisfies ListSpec;
