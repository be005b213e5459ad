import { z } from 'zod';
import { codeOf, issuesIn } from '../test/issues-in.js';
import type { ValidationContext } from './problems/validation-issues.js';
import type { ValidationIssue } from './problems/problem-schema.js';
import { conversionList } from './requests/list.requests.js';
import { unsubscribeQuerySchema } from './requests/webhook.requests.js';

describe('an issue with a parameter', () => {
  const inQuery: ValidationContext = { in: 'parameters' };

  it.each<[string, z.ZodObject, object, ValidationIssue]>([
    [
      'a bad limit',
      conversionList.query,
      { limit: '101' },
      { path: 'limit', code: 'invalid_format', message: 'limit must be an integer from 1 to 100.' },
    ],
    [
      'one given twice',
      conversionList.query,
      { limit: ['1', '2'] },
      { path: 'limit', code: 'wrong_type', message: 'limit must be given once.' },
    ],
    [
      'a bad time',
      conversionList.query,
      { created_after: 'now' },
      {
        path: 'created_after',
        code: 'invalid_format',
        message:
          'created_after must be an RFC 3339 time such as 2026-01-31T09:30:00Z (the + of an offset is sent as %2B).',
      },
    ],
    [
      'a missing one',
      unsubscribeQuerySchema,
      {},
      { path: 'target_url', code: 'required', message: 'target_url is required.' },
    ],
    [
      'an unknown one',
      unsubscribeQuerySchema,
      { target_url: 'http://a', x: '' },
      {
        path: 'x',
        code: 'unknown_field',
        message: 'x is not a query parameter of this operation. Use one of: target_url.',
      },
    ],
    [
      'an unknown one where none is accepted',
      z.strictObject({}),
      { x: '' },
      {
        path: 'x',
        code: 'unknown_field',
        message: 'x is not a query parameter of this operation. Leave it out.',
      },
    ],
  ])('%s', (_what, schema, input, fault) => {
    expect(issuesIn(schema, input, inQuery)).toEqual([fault]);
  });

  it('is never an immutable field', () => {
    expect(codeOf(z.strictObject({}), { id: 'x' }, { ...inQuery, immutable: ['id'] })).toBe(
      'unknown_field',
    );
  });
});
