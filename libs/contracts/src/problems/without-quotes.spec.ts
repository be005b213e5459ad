import { z } from 'zod';
import { issuesIn } from '../../test/issues-in.js';
import { jsonSchemaOf } from '../openapi/json-schema.js';
import { operations, type OperationSpec } from '../operations/operations.js';
import { payoutFileQuerySchema } from '../payout-runs/payout-run.requests.js';
import { pageQuerySchema } from '../shared/list-spec.js';
import { updateProgramSchema } from '../programs/program.requests.js';
import { newTermsSchema } from '../shared/terms.js';

const bodies = Object.entries<OperationSpec>(operations).flatMap(([id, { body, bodyLine }]) => {
  const schema = body ?? bodyLine;
  return schema === undefined ? [] : [{ id, schema }];
});
const fields = bodies.flatMap(({ id, schema }) =>
  Object.entries(schema.shape).flatMap(([field, of]) => {
    const { type } = jsonSchemaOf(of as z.ZodType);
    if ([type].flat().includes('integer')) return [{ id, schema, field, text: '50' }];
    return type === 'boolean' ? [{ id, schema, field, text: 'true' }] : [];
  }),
);

it.each(fields)('$id says that $field has no quotes', ({ schema, field, text }) =>
  expect(issuesIn(schema, { [field]: text })).toContainEqual({
    path: `/${field}`,
    code: 'wrong_type',
    message: expect.stringMatching(
      new RegExp(`^${field} must be .*"?. Send ${text} without quotes\\.$`),
    ) as unknown,
  }),
);

it('is tried with every amount', () =>
  expect(fields.map(({ id, field }) => `${id} ${field}`)).toEqual(
    expect.arrayContaining([
      'createConversion sale_amount',
      'updateConversion refunded_amount',
      'updateConversion commission_amount',
      'quoteSale sale_amount',
      'createAdjustment amount',
      'updateWebhook max_per_second',
    ]),
  ));

it.each([
  ['49.50', 'Send 4950 for 49.50, without quotes.'],
  ['much', 'Send 4950 for 49.50.'],
])('names the unit where the text %j is no integer', (text, advice) =>
  expect(
    issuesIn(operations.createConversion.body, { sale_amount: text }).map(({ message }) => message),
  ).toContain(`sale_amount must be an integer in minor units, but was "${text}". ${advice}`),
);

const terms = { type: 'percentage', rate_bps: 1 };
it.each<[z.ZodObject, object, string]>([
  [
    updateProgramSchema,
    { minimum_payout: { USD: '5000' } },
    'minimum_payout.USD must be an integer in minor units, but was "5000". Send 5000 without quotes.',
  ],
  [
    z.strictObject({ terms: newTermsSchema }),
    { terms: { ...terms, rate_bps: '2000' } },
    'terms.rate_bps must be an integer in basis points, but was "2000". Send 2000 without quotes.',
  ],
  [
    z.strictObject({ terms: newTermsSchema }),
    { terms: { ...terms, recurring: { months: '12' } } },
    'terms.recurring.months must be an integer in months, but was "12". Send 12 without quotes.',
  ],
  [
    pageQuerySchema,
    { limit: '"10"' },
    'limit must be an integer from 1 to 100. Send 10 without quotes.',
  ],
  [pageQuerySchema, { limit: '101' }, 'limit must be an integer from 1 to 100.'],
  [
    payoutFileQuerySchema,
    { format: 'csv', part: '"2"' },
    'part must be the number of a part, from 1. Send 2 without quotes.',
  ],
])('says so within a field, and in a query', (schema, input, message) =>
  expect(issuesIn(schema, input, { in: 'parameters' }).map((issue) => issue.message)).toEqual([
    message,
  ]),
);
