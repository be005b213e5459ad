import { z } from 'zod';
import { envelopeSchema } from '../events/envelope.js';
import { hasMoreSchema, objectOf } from '../shared/record-fields.js';
import type { OperationSpec } from '../shared/operation-spec.js';
import { eventFeedQuerySchema } from './event-feed.requests.js';

const eventListSchema = z
  .strictObject({
    object: objectOf('list'),
    data: z
      .array(envelopeSchema)
      .describe('Events, each as a webhook with `payload: "full"` carries it.'),
    has_more: hasMoreSchema.describe(
      'Whether there may be further events. Continue while it is true, even after an empty page.',
    ),
    next_after: z
      .string()
      .optional()
      .describe(
        'The `after` of the next request: all events up to this position were looked at. A plain position, which can be kept for years.',
      ),
    next_before: z
      .string()
      .optional()
      .describe('With `sort=-position` instead of `next_after`: the `before` of the next request.'),
    log_id: z.string().describe('The log that the positions belong to.'),
    position: z.string().describe('The position that the response reflects.'),
  })
  .meta({ id: 'EventList' });

export const eventFeedOperations = {
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    scope: 'read',
    summary: 'List the events of the account',
    query: eventFeedQuerySchema,
    responses: { 200: eventListSchema },
  },
  getEvent: {
    method: 'GET',
    path: '/v1/events/:position',
    takesPosition: true,
    scope: 'read',
    summary: 'Read an event',
    responses: { 200: envelopeSchema },
  },
} as const satisfies Record<string, OperationSpec>;
