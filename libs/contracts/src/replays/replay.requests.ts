import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { described } from '../problems/described.js';
import { replayScopes, scopesText } from './replay.record.js';
import { instantInputSchema } from '../time.js';
import { listQuerySchema } from '../shared/list-spec.js';
import { positionOrTime } from '../shared/position-or-time.js';
import { kindSchema, listOfEventTypes } from '../event-types/public-event-type.requests.js';

const boundSchema = positionOrTime(instantInputSchema);

/** The body of a request to replay events to an endpoint. */
export const createReplaySchema = z
  .strictObject({
    since: boundSchema.describe(
      'A position: only events after it; `0` is the start of the log. Or a time that is not in the future: only events recorded then or later.',
    ),
    until: boundSchema
      .optional()
      .describe(
        'A position or a time that is not in the future: only events up to and including it. Default: up to now.',
      ),
    types: listOfEventTypes(kindSchema)
      .optional()
      .describe(
        'Only events of these types, to which the endpoint must subscribe. Default: all its types.',
      ),
    only: z
      .enum(replayScopes, {
        error: ({ input }) => `must be missing, failed or all, but was ${described(input)}`,
      })
      .default('missing')
      .describe(scopesText),
  })
  .meta({ id: 'CreateReplay' })
  .register(bodyExamples, { example: { since: '2026-01-31T09:30:00Z', only: 'missing' } });
export type CreateReplay = z.infer<typeof createReplaySchema>;

/** The query parameters of the replays of an endpoint. */
export const replaysQuerySchema = listQuerySchema;
