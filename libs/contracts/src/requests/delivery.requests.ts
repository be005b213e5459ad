import { z } from 'zod';
import type { IdKind } from '../ids/ids.js';
import { deliveryStatuses, deliveryTriggers } from '../records/delivery.record.js';
import { instantParameterSchema } from '../time.js';
import { idFilter, pageQuery } from './list-spec.js';
import { kindSchema } from './webhook.requests.js';

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
      'Default `-created_at`: newest first. When sorted by `finished_at`, the list has only deliveries that are finished.',
    ),
  status: z.enum(deliveryStatuses).optional(),
  type: kindSchema.optional(),
  event_id: idFilter('event'),
  object_id: idFilter(...subjectKinds).describe('The id of the record that the event is about.'),
  trigger: z.enum(deliveryTriggers).optional(),
  finished_after: instantParameterSchema
    .optional()
    .describe(
      'Excludes this instant. The list is then sorted by `finished_at`, in the direction of `sort`.',
    ),
};

/** The query parameters of the deliveries of one endpoint. */
export const endpointDeliveriesQuerySchema = z.strictObject(filters);

/** The query parameters of the deliveries of an account. */
export const deliveriesQuerySchema = z.strictObject({
  endpoint_id: idFilter('endpoint'),
  ...filters,
});
