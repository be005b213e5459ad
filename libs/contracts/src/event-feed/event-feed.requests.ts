import { z } from 'zod';
import { eventPatterns, type EventPattern } from '../event-types/event-patterns.js';
import { exampleIdOf, idPatternOf, isId } from '../ids/ids.js';
import { positionPattern } from '../ids/position.js';
import { described } from '../problems/described.js';
import { idFilter, pageQuery, refusing } from '../shared/list-spec.js';
import { text } from '../text.js';
import { instantParameterSchema } from '../time.js';

const positionParameter = z
  .string()
  .regex(new RegExp(positionPattern), {
    error: ({ input }) =>
      `must be a position of the event log, such as 1234, but was ${described(input)}`,
  })
  .optional();

const isPattern = (entry: string): entry is EventPattern =>
  eventPatterns.some((pattern) => pattern === entry);

const typesSchema = z
  .string()
  .max(2_000)
  .superRefine((types, context) => {
    const unknown = types.split(',').find((entry) => !isPattern(entry));
    if (unknown === undefined) return;
    context.addIssue({
      code: 'custom',
      message: `must be event types separated by commas, but has ${described(unknown)}. Use some of: ${eventPatterns.join(', ')}`,
      params: { code: 'not_one_of' },
    });
  })
  .describe(
    `Only events of these types, separated by commas; \`conversion.*\` means all types of conversions. Default: all types.`,
  )
  .meta({ example: 'conversion.*,payout.completed' })
  .optional();

/** The query parameters of an account's events. */
export const eventFeedQuerySchema = z
  .strictObject({
    after: positionParameter.describe(
      'Only events after this position: the `next_after` of the last response. `0`, the default, is the start of the log.',
    ),
    after_id: z
      .string()
      .refine((id) => isId('event', id), {
        error: ({ input }) =>
          `must be an event id such as ${exampleIdOf('event')}, but was ${described(input)}`,
        params: { code: 'invalid_format' },
      })
      .meta({ pattern: idPatternOf('event'), example: exampleIdOf('event') })
      .optional()
      .describe(
        'The id of the event at `after`, if you have received it. It is refused if the log has another event there, as after restoring a backup.',
      ),
    before: positionParameter.describe('Only events before this position.'),
    since: instantParameterSchema
      .optional()
      .describe('Only events recorded at this time or later; it is not in the future.'),
    until: instantParameterSchema
      .optional()
      .describe('Only events recorded up to and including this time.'),
    types: typesSchema,
    affiliate_id: idFilter('affiliate').describe(
      'Only events of this affiliate and of records that belong to it.',
    ),
    sort: z
      .enum(['position', '-position'])
      .optional()
      .describe('Default `position`: oldest first, in the order of the log.'),
    limit: pageQuery.limit,
    log_id: text({ min: 1, max: 100 })
      .optional()
      .describe(
        'The `log_id` of the last response. It is refused if the service has another log now, whose positions are unrelated.',
      ),
  })
  .refine(
    ...refusing('after', ({ after, after_id }) => after_id !== undefined && after === undefined, {
      code: 'required',
      error: 'is required with after_id. Send the position of that event',
    }),
  );
export type EventFeedQuery = z.infer<typeof eventFeedQuerySchema>;
