import { z } from 'zod';
import { publicAggregates } from './aggregates/public-aggregates.js';
import { idPrefixes, newId, type IdKind } from './ids/ids.js';
import { keysOf } from './keys-of.js';
import { operations, type OperationSpec } from './operations/operations.js';
import { issuesOf } from './problems/validation-issues.js';
import { affiliateList } from './affiliates/affiliate.list.js';
import { conversionList } from './conversions/conversion.list.js';
import { deliveriesQuerySchema } from './deliveries/delivery.list.js';

/** The issues with one parameter of a query, whatever others it lacks. */
const issuesWith = (schema: z.ZodObject, name: string, value: unknown) => {
  const parsed = schema.safeParse({ [name]: value }, { reportInput: true });
  const issues = parsed.error === undefined ? [] : issuesOf(parsed.error, { in: 'parameters' });
  return issues.filter(({ path }) => path === name);
};

const parameters = Object.entries<OperationSpec>(operations).flatMap(([operation, { query }]) =>
  query === undefined
    ? []
    : Object.keys(query.shape).map((name) => [`${operation}?${name}`, query, name] as const),
);

/** The kinds of records that a filter takes ids of. */
const kindsOf: Readonly<Record<string, readonly IdKind[]>> = {
  affiliate_id: ['affiliate'],
  program_id: ['program'],
  payout_id: ['payout'],
  run_id: ['run'],
  conversion_id: ['conversion'],
  adjustment_id: ['adjustment'],
  endpoint_id: ['endpoint'],
  event_id: ['event'],
  object_id: ['conversion', 'affiliate', 'program', 'adjustment', 'payout', 'run', 'endpoint'],
};
/** Filters by ids that the caller's own system gave. */
const ownIds = ['external_transaction_id', 'customer_id', 'external_id'];
const idFilters = parameters.filter(([, , name]) => /_id$/.test(name) && !ownIds.includes(name));

/** Lists in an order of their own, of changes, versions and lines, which have no `created_at`. */
const inOwnOrder = [
  ...['Conversion', 'Affiliate', 'Program', 'Adjustment', 'Payout', 'PayoutRun', 'Webhook'].map(
    (record) => `get${record}History`,
  ),
  'listProgramTerms',
  'listPayoutEntries',
  'getBalanceStatement',
];
const lists = Object.entries<OperationSpec>(operations).flatMap(([operation, { query }]) =>
  query !== undefined && 'cursor' in query.shape ? [[operation, query] as const] : [],
);

it('every list is bounded by when its records were created, unless it has an order of its own', () => {
  const bounds = ['created_from', 'created_to', 'created_after', 'created_before'];
  for (const [operation, { shape }] of lists)
    expect([operation, bounds.filter((bound) => bound in shape)]).toEqual([
      operation,
      inOwnOrder.includes(operation) ? [] : bounds,
    ]);
  const names = lists.map(([operation]) => operation);
  expect(inOwnOrder.filter((operation) => !names.includes(operation))).toEqual([]);
});

it.each(lists.filter(([operation]) => !inOwnOrder.includes(operation)))(
  '%s takes one bound at each end',
  (_, query) => {
    const time = '2026-01-31T09:30:00Z';
    const issuesOfBoth = (...names: readonly string[]) => {
      const sent = Object.fromEntries(names.map((name) => [name, time]));
      const { error } = query.safeParse(sent, { reportInput: true });
      const issues = error === undefined ? [] : issuesOf(error, { in: 'parameters' });
      return issues.map(({ path, code }) => `${path} ${code}`);
    };
    for (const from of ['created_from', 'created_after'])
      for (const to of ['created_to', 'created_before']) expect(issuesOfBoth(from, to)).toEqual([]);
    expect(issuesOfBoth('created_from', 'created_after')).toEqual([
      'created_from with_created_after',
    ]);
    expect(issuesOfBoth('created_to', 'created_before')).toEqual([
      'created_to with_created_before',
    ]);
  },
);

// a cursor is decoded later, and never empty: see list-query.spec.ts
const checked = parameters.filter(([, , name]) => name !== 'cursor');
it.each(checked)('%s is refused if it is empty', (_, query, name) => {
  expect(issuesWith(query, name, '')).not.toEqual([]);
});

it.each(idFilters)('%s takes any id of its kind, and none of another', (_, query, name) => {
  const own = kindsOf[name] ?? [];
  for (const kind of keysOf(idPrefixes))
    expect([kind, issuesWith(query, name, newId(kind)).map(({ code }) => code)]).toEqual([
      kind,
      own.includes(kind) ? [] : ['invalid_format'],
    ]);
  for (const value of ['nonsense', idPrefixes[own[0] ?? 'key'], ` ${newId(own[0] ?? 'key')}`])
    expect(issuesWith(query, name, value)).toMatchObject([{ code: 'invalid_format' }]);
  expect(issuesWith(query, name, [newId('key'), newId('key')])).toMatchObject([
    { message: `${name} must be given once.` },
  ]);
});

it('a filter by program takes ids that clients chose', () => {
  for (const id of ['prog_spring', 'prog_A-b_1', `prog_${'x'.repeat(64)}`])
    expect(issuesWith(conversionList.query, 'program_id', id)).toEqual([]);
  for (const id of [`prog_${'x'.repeat(65)}`, 'prog_', 'prog_ü', 'spring'])
    expect(issuesWith(conversionList.query, 'program_id', id)).toMatchObject([
      { code: 'invalid_format' },
    ]);
});

it('a filter by record takes the ids of all records that events are about', () => {
  for (const { record } of Object.values(publicAggregates)) {
    const { id } = z.object({ id: z.string() }).parse(record.meta()?.['example']);
    expect([id, issuesWith(deliveriesQuerySchema, 'object_id', id)]).toEqual([id, []]);
  }
});

it('an issue says what is wrong, and what to send', () => {
  expect(issuesWith(conversionList.query, 'affiliate_id', '')).toEqual([
    {
      path: 'affiliate_id',
      code: 'invalid_format',
      message:
        'affiliate_id must be an id that starts with aff_, such as aff_00000000000000000000000001, but was "".',
    },
  ]);
  expect(issuesWith(conversionList.query, 'customer_id', '')).toMatchObject([
    { code: 'wrong_length', message: 'customer_id must have 1 to 255 characters.' },
  ]);
  expect(issuesWith(affiliateList.query, 'email', 'ada @example.com')).toMatchObject([
    {
      message: 'email must be an email address such as ada@example.com (its + is sent as %2B).',
    },
  ]);
});
