import { z } from 'zod';
import { keysOf } from '../keys-of.js';
import { problemCodes } from './problems.js';

/**
 * One problem with a request: where it is (a JSON pointer, RFC 6901, or the name of a query
 * parameter or header), its code, and a message.
 */
const validationIssueSchema = z.strictObject({
  path: z
    .string()
    .describe('A JSON pointer into the body, or the name of a query parameter or header.'),
  code: z.string().describe('Stable, for programs: such as `required` or `too_large`.'),
  message: z.string().describe('The problem with this value, and what to send instead.'),
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
    type: z.string().describe('The relative URL of what the code means, and what to do.'),
    title: z.string().describe('The same in all problems with this code.'),
    status: z.int().describe('The HTTP status.'),
    code: z.enum(keysOf(problemCodes)).describe('Stable, for programs.'),
    detail: z.string().describe('A description of the problem with this request, for people.'),
    request_id: z.string().describe('The `X-Request-Id` of the response.'),
    errors: z
      .array(validationIssueSchema)
      .optional()
      .describe('With 422, what is wrong, one by one; at most 100.'),
    conversion_id: z.string().optional().describe('With `conversion_exists`: the conversion.'),
    affiliate_id: z
      .string()
      .optional()
      .describe('With `affiliate_exists` or `affiliate_erased`: the affiliate.'),
    program_id: z.string().optional().describe('With `program_exists`: the program.'),
    adjustment_id: z.string().optional().describe('With `adjustment_exists`: the adjustment.'),
    payable: z.coerce
      .bigint()
      .optional()
      .describe('With `nothing_payable` or `below_minimum`: what is payable, in minor units.'),
    minimum: z
      .int()
      .optional()
      .describe("With `below_minimum`: the program's minimum payout, in minor units."),
    next_payable_on: z
      .string()
      .nullable()
      .optional()
      .describe(
        'With `nothing_payable` or `below_minimum`: the next day (UTC) on which more becomes payable; null if there is none.',
      ),
    payouts: z
      .array(z.string())
      .readonly()
      .optional()
      .describe(
        'With `payee_unusable` or `payee_changed`: the payouts; at most 1,000. With `payouts_open`: at most 10.',
      ),
    replay_id: z.string().optional().describe('With `replay_in_progress`: the replay.'),
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
