import { z } from 'zod';
import { codeOf, issuesIn } from '../test/issues-in.js';
import type { ValidationContext } from './problems/validation-issues.js';
import type { ValidationIssue } from './problems/problem-schema.js';
import { deliveriesQuerySchema } from './deliveries/delivery.list.js';
import { conversionList } from './conversions/conversion.list.js';
import { balanceList } from './balances/balance.list.js';
import { entryList } from './balances/entry.list.js';
import { unsubscribeQuerySchema } from './webhooks/webhook-endpoint.requests.js';

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
      'an order of entries that a bound excludes',
      entryList.query,
      { created_after: '2026-01-31T09:30:00Z', sort: '-position' },
      {
        path: 'sort',
        code: 'with_created_bound',
        message:
          'sort cannot be by position together with created_from, created_to, created_after or created_before, which sort the list by created_at. Send created_at or -created_at, or omit it.',
      },
    ],
    [
      'an order of entries that needs a bound',
      entryList.query,
      { sort: 'created_at' },
      {
        path: 'sort',
        code: 'without_created_bound',
        message:
          'sort can be by created_at only together with created_from, created_to, created_after or created_before. Send position or -position, or omit it.',
      },
    ],
    [
      'balances by eligibility that need not be open',
      balanceList.query,
      { not_eligible: 'payout_hold', open: 'false' },
      {
        path: 'not_eligible',
        code: 'without_open',
        message: 'not_eligible finds only open balances. Send open=true with it, or omit it.',
      },
    ],
    [
      'an order of deliveries that a bound excludes',
      deliveriesQuerySchema,
      { created_before: '2026-01-31T09:30:00Z', sort: 'finished_at' },
      {
        path: 'sort',
        code: 'with_created_bound',
        message:
          'sort cannot be by finished_at together with created_from, created_to, created_after or created_before, which sort the list by created_at. Send created_at or -created_at, or omit it.',
      },
    ],
    [
      'bounds of two times',
      deliveriesQuerySchema,
      { created_before: '2026-01-31T09:30:00Z', finished_after: '2026-01-31T09:30:00Z' },
      {
        path: 'finished_after',
        code: 'with_created_bound',
        message:
          'finished_after cannot be combined with created_from, created_to, created_after or created_before, which sort the list by created_at. Send only one kind of bound.',
      },
    ],
    [
      'two bounds at the start',
      conversionList.query,
      { created_from: '2026-01-31T09:30:00Z', created_after: '2026-01-31T09:30:00Z' },
      {
        path: 'created_from',
        code: 'with_created_after',
        message: 'created_from cannot be combined with created_after. Send only one of them.',
      },
    ],
    [
      'two bounds at the end',
      entryList.query,
      { created_to: '2026-01-31T09:30:00Z', created_before: '2026-02-01T09:30:00Z' },
      {
        path: 'created_to',
        code: 'with_created_before',
        message: 'created_to cannot be combined with created_before. Send only one of them.',
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
        message: 'x is not a query parameter of this operation. Omit it.',
      },
    ],
  ])('%s', (_what, schema, input, fault) => {
    expect(issuesIn(schema, input, inQuery)).toEqual([fault]);
  });

  it('with a combination does not hide others', () => {
    const query = { created_after: 'now', sort: 'position', limit: '0' };
    expect(issuesIn(entryList.query, query, inQuery).map(({ path }) => path)).toEqual([
      'limit',
      'created_after',
      'sort',
    ]);
  });

  it('is never an immutable field', () => {
    expect(codeOf(z.strictObject({}), { id: 'x' }, { ...inQuery, immutable: ['id'] })).toBe(
      'unknown_field',
    );
  });
});
