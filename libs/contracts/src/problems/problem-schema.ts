import { z } from 'zod';
import { keysOf } from '../aggregates/aggregate.js';
import { problemCodes } from './problems.js';

/**
 * One problem with a request: where it is (a JSON pointer, RFC 6901, or the name of a query
 * parameter or header), its code, and a message.
 */
const validationIssueSchema = z.strictObject({
  path: z.string(),
  code: z.string(),
  message: z.string(),
  sent: z
    .unknown()
    .optional()
    .describe('Only with the code `differs`: the value of this request; null if it has none.'),
  stored: z
    .unknown()
    .optional()
    .describe('Only with the code `differs`: the value of the existing record.'),
});
/** One issue of a request, as `errors` lists it. */
export type ValidationIssue = z.infer<typeof validationIssueSchema>;

/** The body of every error, sent as `application/problem+json`. */
export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(keysOf(problemCodes)),
    detail: z.string(),
    request_id: z.string(),
    errors: z.array(validationIssueSchema).optional(),
    conversion_id: z.string().optional(),
    affiliate_id: z.string().optional(),
    program_id: z.string().optional(),
    adjustment_id: z.string().optional(),
    payable: z.coerce.bigint().optional(),
    minimum: z.int().optional(),
    next_payable_on: z.string().nullable().optional(),
    payouts: z.array(z.string()).readonly().optional(),
    replay_id: z.string().optional(),
  })
  .meta({
    id: 'Problem',
    example: {
      type: '/docs/errors#validation_failed',
      title: 'Validation failed',
      status: 422,
      code: 'validation_failed',
      detail: 'sale_amount must be an integer in minor units, but was 49.5. Send 4950 for 49.50.',
      request_id: '0b9e0f0e-8f0a-4c39-9d2b-6c0d7b1c2a11',
      errors: [
        {
          path: '/sale_amount',
          code: 'not_an_integer',
          message:
            'sale_amount must be an integer in minor units, but was 49.5. Send 4950 for 49.50.',
        },
      ],
    },
  });
/** The body of an error. */
export type Problem = z.infer<typeof problemSchema>;
