import { z } from 'zod';
import { codeOf, issuesIn } from '../../test/issues-in.js';
import { validationError, type ValidationContext } from './validation-issues.js';
import { operations } from '../operations/operations.js';
import type { OperationSpec } from '../operations/operations.js';
import type { ValidationIssue } from './problem-schema.js';
import { createAffiliateSchema } from '../affiliates/affiliate.requests.js';
import { createApiKeySchema } from '../accounts/account.requests.js';
import {
  createConversionSchema,
  updateConversionSchema,
} from '../conversions/conversion.requests.js';
import { subscribeSchema } from '../webhooks/webhook-endpoint.requests.js';

const sale = { affiliate_id: 'aff_1', sale_amount: 1, sale_currency: 'USD' };
const patch: OperationSpec = operations.updateConversion;
const asPatch: ValidationContext = patch.immutable ? { immutable: patch.immutable } : {};

describe('an issue with a field or the body', () => {
  it.each<[string, object, ValidationIssue]>([
    [
      'a fraction of a cent',
      { sale_amount: 49.5 },
      {
        path: '/sale_amount',
        code: 'not_an_integer',
        message:
          'sale_amount must be an integer in minor units, but was 49.5. Send 4950 for 49.50.',
      },
    ],
    [
      'text for an amount',
      { sale_amount: '49' },
      {
        path: '/sale_amount',
        code: 'wrong_type',
        message:
          'sale_amount must be an integer in minor units, but was "49". Send 49 without quotes.',
      },
    ],
    [
      'null',
      { sale_amount: null },
      {
        path: '/sale_amount',
        code: 'wrong_type',
        message:
          'sale_amount must be an integer in minor units, but was null. Send 4950 for 49.50.',
      },
    ],
    [
      'too little',
      { sale_amount: -1 },
      {
        path: '/sale_amount',
        code: 'too_small',
        message: 'sale_amount must be at least 0, in minor units.',
      },
    ],
    [
      'too much',
      { sale_amount: 1e12 },
      {
        path: '/sale_amount',
        code: 'too_large',
        message: 'sale_amount must be at most 999999999999 minor units.',
      },
    ],
    [
      'more than an integer holds',
      { sale_amount: 1e300 },
      {
        path: '/sale_amount',
        code: 'too_large',
        message: 'sale_amount must be at most 999999999999 minor units.',
      },
    ],
    [
      'a missing amount',
      { sale_amount: undefined },
      {
        path: '/sale_amount',
        code: 'required',
        message: 'sale_amount is required. Send an integer in minor units, such as 4950 for 49.50.',
      },
    ],
    [
      'missing text',
      { sale_currency: undefined },
      { path: '/sale_currency', code: 'required', message: 'sale_currency is required.' },
    ],
    [
      'an unknown currency',
      { sale_currency: 'XX' },
      {
        path: '/sale_currency',
        code: 'unknown_currency',
        message: 'sale_currency must be an ISO 4217 currency code such as "USD", but was "XX".',
      },
    ],
    [
      'a number for text',
      { affiliate_id: 5 },
      {
        path: '/affiliate_id',
        code: 'wrong_type',
        message: 'affiliate_id must be text, but was 5.',
      },
    ],
    [
      'text that is too long',
      { external_transaction_id: 'x'.repeat(256) },
      {
        path: '/external_transaction_id',
        code: 'wrong_length',
        message: 'external_transaction_id must have 1 to 255 characters.',
      },
    ],
    [
      'a NUL',
      { affiliate_id: 'a\u0000' },
      {
        path: '/affiliate_id',
        code: 'invalid_format',
        message: 'affiliate_id must be well-formed Unicode without control characters.',
      },
    ],
    [
      'a lone surrogate',
      { affiliate_id: '\ud800' },
      {
        path: '/affiliate_id',
        code: 'invalid_format',
        message: 'affiliate_id must be well-formed Unicode without control characters.',
      },
    ],
    [
      'a list for an object',
      { metadata: [] },
      {
        path: '/metadata',
        code: 'wrong_type',
        message: 'metadata must be an object, but was an array.',
      },
    ],
    [
      'a wrong pair',
      { metadata: { ok: 5 } },
      { path: '/metadata/ok', code: 'wrong_type', message: 'metadata.ok must be text, but was 5.' },
    ],
    [
      'a wrong pair with an odd key',
      { metadata: { 'a/b~': {} } },
      {
        path: '/metadata/a~1b~0',
        code: 'wrong_type',
        message: 'metadata["a/b~"] must be text, but was an object.',
      },
    ],
    [
      'too long a key',
      { metadata: { ['k'.repeat(41)]: '' } },
      {
        path: `/metadata/${'k'.repeat(41)}`,
        code: 'wrong_length',
        message: `metadata has the key "${'k'.repeat(40)}…", which must have 1 to 40 characters.`,
      },
    ],
    [
      'too many pairs',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, ''])) },
      { path: '/metadata', code: 'too_many', message: 'metadata must have at most 50 pairs.' },
    ],
    [
      'a time without an offset',
      { occurred_at: '2026-01-31T09:30:00' },
      {
        path: '/occurred_at',
        code: 'invalid_format',
        message: 'occurred_at must be an RFC 3339 time such as 2026-01-31T09:30:00Z.',
      },
    ],
  ])('%s', (_what, change, fault) => {
    expect(issuesIn(createConversionSchema, { ...sale, ...change })).toEqual([fault]);
  });

  it.each<[string, z.ZodObject, object, ValidationIssue]>([
    [
      'a missing email',
      createAffiliateSchema,
      { name: 'a', program_id: 'prog_a' },
      { path: '/email', code: 'required', message: 'email is required.' },
    ],
    [
      'a wrong email',
      createAffiliateSchema,
      { name: 'a', program_id: 'prog_a', email: 'x' },
      {
        path: '/email',
        code: 'invalid_format',
        message: 'email must be an email address such as ada@example.com.',
      },
    ],
    [
      'a name of spaces',
      createAffiliateSchema,
      { name: ' ', program_id: 'prog_a', email: 'a@b.c' },
      {
        path: '/name',
        code: 'wrong_length',
        message: 'name must have 1 to 200 characters, not counting leading and trailing spaces.',
      },
    ],
    [
      'a wrong program',
      createAffiliateSchema,
      { name: 'a', program_id: 'a', email: 'a@b.c' },
      {
        path: '/program_id',
        code: 'invalid_format',
        message:
          'program_id must be prog_ followed by 1 to 64 characters of A-Z, a-z, 0-9, _ and -.',
      },
    ],
    [
      'a missing choice',
      createApiKeySchema,
      { name: 'a' },
      { path: '/scope', code: 'required', message: 'scope is required.' },
    ],
    [
      'another choice',
      createApiKeySchema,
      { name: 'a', scope: 'root' },
      {
        path: '/scope',
        code: 'not_one_of',
        message: 'scope must be one of read, write, admin, operator, but was "root".',
      },
    ],
    [
      'an empty list',
      subscribeSchema,
      { target_url: 'http://a', events: [] },
      { path: '/events', code: 'too_few', message: 'events must name at least one event type.' },
    ],
    [
      'an address without a scheme',
      subscribeSchema,
      { target_url: 'a', events: ['payout.failed'] },
      {
        path: '/target_url',
        code: 'invalid_url',
        message:
          'target_url must be an absolute http or https URL without a user name or password.',
      },
    ],
    [
      'a short secret',
      subscribeSchema,
      { target_url: 'http://a', events: ['payout.failed'], secret: 'short' },
      {
        path: '/secret',
        code: 'invalid_format',
        message: 'secret must have 16 to 128 printable ASCII characters.',
      },
    ],
    [
      'a status that cannot be set',
      updateConversionSchema,
      { status: 'pending' },
      {
        path: '/status',
        code: 'not_one_of',
        message: 'status must be one of approved, rejected, refunded, but was "pending".',
      },
    ],
    [
      'nothing to change',
      updateConversionSchema,
      {},
      { path: '', code: 'empty', message: 'The body must change something.' },
    ],
    [
      'a reason alone',
      updateConversionSchema,
      { reason: 'x' },
      {
        path: '/reason',
        code: 'without_change',
        message:
          'reason is accepted only together with status, refunded_amount, commission_amount or commission.',
      },
    ],
  ])('%s', (_what, schema, input, fault) => {
    expect(issuesIn(schema, input)).toEqual([fault]);
  });

  it('names an unknown event type, and the known ones', () => {
    const [fault] = issuesIn(subscribeSchema, {
      target_url: 'http://a',
      events: ['payout.failed', 'x.y'],
    });
    expect(fault).toMatchObject({ path: '/events/1', code: 'not_one_of' });
    expect(fault?.message).toMatch(
      /^events\[1\] must be an event type or a pattern, but was "x.y". Use one of: \*, .*, payout_run\.\*, .*webhook.secret_rotated\.$/,
    );
  });

  it.each([
    [null, 'null'],
    [[], 'an array'],
    ['x', '"x"'],
    [5, '5'],
  ])('the body itself: %j', (input, got) => {
    expect(issuesIn(updateConversionSchema, input)).toEqual([
      { path: '', code: 'wrong_type', message: `The body must be an object, but was ${got}.` },
    ]);
  });
});

describe('an unknown or immutable field', () => {
  it('is named, with the known ones', () => {
    expect(issuesIn(createApiKeySchema, { name: 'a', scope: 'read', 'a b': 1 })).toEqual([
      {
        path: '/a b',
        code: 'unknown_field',
        message: '"a b" is not a field of this request. Use one of: name, scope, expires_at.',
      },
    ]);
  });

  it('decides the code if it is the only issue, even if nothing changes', () => {
    expect(codeOf(updateConversionSchema, { colour: 1 }, asPatch)).toBe('unknown_field');
    expect(codeOf(updateConversionSchema, { affiliate_id: 'x', id: 'y' }, asPatch)).toBe(
      'immutable_field',
    );
    expect(issuesIn(updateConversionSchema, { id: 'y' }, asPatch)).toEqual([
      { path: '/id', code: 'immutable_field', message: 'id cannot be changed. Omit it.' },
    ]);
  });

  it('alongside other issues is listed, and the code is validation_failed', () => {
    const issues = issuesIn(createConversionSchema, {
      ...sale,
      colour: 1,
      sale_amount: 0.5,
      sale_currency: undefined,
    });
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      ['/sale_amount', 'not_an_integer'],
      ['/sale_currency', 'required'],
      ['/colour', 'unknown_field'],
    ]);
    expect(validationError(issues).code).toBe('validation_failed');
    expect(codeOf(updateConversionSchema, { id: 'x', colour: 1 }, asPatch)).toBe(
      'validation_failed',
    );
  });

  it('is found even if its name is a property of every object', () => {
    expect(
      issuesIn(
        createConversionSchema,
        JSON.parse(
          '{"affiliate_id":"a","sale_amount":1,"sale_currency":"USD","__proto__":1,"constructor":1}',
        ),
      ).map(({ path }) => path),
    ).toEqual(['/__proto__', '/constructor']);
  });
});

it("keeps an issue of the integer range if none of the schema's own rules reports one", () => {
  const schema = z.strictObject({ a: z.int(), b: z.int().max(5) });
  const pathsAndCodes = (input: object) =>
    issuesIn(schema, input).map(({ path, code, message }) => [path, code, message]);
  expect(pathsAndCodes({ a: 1e300, b: 1e300 })).toEqual([
    ['/a', 'too_large', 'a must be at most 9007199254740991.'],
    ['/b', 'too_large', 'b must be at most 5.'],
  ]);
  expect(pathsAndCodes({ a: -1e300, b: 1 })).toEqual([
    ['/a', 'too_small', 'a must be at least -9007199254740991.'],
  ]);
});

it('lists every issue, including those between fields', () => {
  expect(
    issuesIn(updateConversionSchema, { reason: 'x', metadata: 5, sale_amount: -1 }).map(
      ({ path }) => path,
    ),
  ).toEqual(['/sale_amount', '/metadata', '/reason']);
});
