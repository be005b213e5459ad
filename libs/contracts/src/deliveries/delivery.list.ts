import { z } from 'zod';
import type { IdKind } from '../ids/ids.js';
import { deliveryStatuses, deliveryTriggers } from './delivery.record.js';
import { instantParameterSchema } from '../time.js';
import {
  choiceFilter,
  createdBounds,
  createdQuery,
  idFilter,
  isBoundedByCreation,
  pageQuery,
  refusing,
  withCreatedBounds,
} from '../shared/list-spec.js';
import { kindSchema } from '../event-types/public-event-type.requests.js';

/** The kinds of records that public events are about. */
const subjectKinds = [
  'conversion',
  'affiliate',
  'program',
  'adjustment',
  'payout',
  'run',
  'endpoint',
] as const satisfies readonly IdKind[];

const filters = {
  ...pageQuery,
  sort: z
    .enum(['created_at', '-created_at', 'finished_at', '-finished_at'])
    .optional()
    .describe(
      'Default `-created_at`: newest first. When sorted by `finished_at`, the list has only deliveries that are finished, and takes no bounds on `created_at`.',
    ),
  ...createdQuery,
  status: choiceFilter('status', deliveryStatuses),
  type: kindSchema.optional().describe('Only deliveries of events of this type.'),
  event_id: idFilter('event'),
  object_id: idFilter(...subjectKinds).describe('Only deliveries of events about this record.'),
  trigger: choiceFilter('trigger', deliveryTriggers),
  finished_after: instantParameterSchema
    .optional()
    .describe(
      'Excludes this instant. The list is then sorted by `finished_at`, in the direction of `sort`. Not together with bounds on `created_at`.',
    ),
};

const byEnd: readonly unknown[] = ['finished_at', '-finished_at'];
const code = 'with_created_bound';

/** One index can serve bounds of one time only. */
const sortWithCreatedBound = refusing(
  'sort',
  (query) => isBoundedByCreation(query) && byEnd.includes(query['sort']),
  {
    code,
    error: `cannot be by finished_at together with ${createdBounds}, which sort the list by created_at. Send created_at or -created_at, or omit it`,
  },
);
const endWithCreatedBound = refusing(
  'finished_after',
  (query) => isBoundedByCreation(query) && query['finished_after'] !== undefined,
  {
    code,
    error: `cannot be combined with ${createdBounds}, which sort the list by created_at. Send only one kind of bound`,
  },
);

export const endpointDeliveriesQuerySchema = withCreatedBounds(z.strictObject(filters))
  .refine(...sortWithCreatedBound)
  .refine(...endWithCreatedBound);

/** The query parameters of the deliveries of an account. */
export const deliveriesQuerySchema = withCreatedBounds(
  z.strictObject({ endpoint_id: idFilter('endpoint'), ...filters }),
)
  .refine(...sortWithCreatedBound)
  .refine(...endWithCreatedBound);
