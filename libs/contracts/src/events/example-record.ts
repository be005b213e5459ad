import type { z } from 'zod';
import { publicAggregates, type PublicRecord } from '../aggregates/public-aggregates.js';
import type { PublicEventType } from '../event-types/public-event-types.js';
import { publicAggregateOf } from './public-events.js';

/** Returns an example of the record that events of this kind are about, as the API documents it. */
export const exampleRecordOf = (kind: PublicEventType): PublicRecord => {
  const aggregate = publicAggregateOf(kind);
  if (aggregate === undefined) throw new Error(`no record has events of the kind ${kind}`);
  const { record }: { readonly record: z.ZodType<PublicRecord> } = publicAggregates[aggregate];
  return record.parse(record.meta()?.['example']);
};
