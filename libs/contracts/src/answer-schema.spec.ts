import fastJson from 'fast-json-stringify';
import type { Schema } from 'fast-json-stringify';
import { answerJsonSchema } from './answer-schema.js';
import { operations } from './operations.js';
import type { OperationId, OperationSpec } from './operations.js';

const answers = Object.entries<OperationSpec>(operations).flatMap(([id, { answers: byStatus }]) =>
  Object.entries(byStatus).flatMap(([status, schema]) =>
    schema === null ? [] : [{ id: id as OperationId, status: Number(status), schema }],
  ),
);
const serialiser = (id: OperationId, status: number) =>
  fastJson(answerJsonSchema(id, status) as Schema);

const at = '2026-01-31T09:30:00.000Z';
const idOf = (prefix: string) => prefix + '0'.repeat(26);
const conversion = {
  id: idOf('conv_'),
  object: 'conversion',
  affiliate_id: idOf('aff_'),
  program_id: 'prog_a',
  status: 'pending',
  sale_amount: 999_999_999_999,
  sale_currency: 'USD',
  commission_amount: 0,
  external_transaction_id: 'tx "1" \u2028 é 🦆',
  metadata: { 'a"b': '\\', description: 'kept' },
  reason: null,
  payout_id: null,
  created_at: at,
  updated_at: at,
  approved_at: null,
  revision: 0,
};
const affiliate = {
  id: idOf('aff_'),
  object: 'affiliate',
  email: 'a@b.c',
  name: 'Ada',
  program_id: 'prog_a',
  status: 'approved',
  metadata: {},
  reason: '',
  created_at: at,
  updated_at: at,
  approved_at: at,
  revision: 3,
};
const endpoint = {
  id: idOf('whk_'),
  object: 'webhook_endpoint',
  target_url: 'https://a',
  events: ['conversion.created'],
  description: null,
  status: 'enabled',
  created_at: at,
  updated_at: at,
};
const account = { id: idOf('acct_'), object: 'account', name: 'Shop', created_at: at };
const key = {
  id: idOf('key_'),
  object: 'api_key',
  name: 'k',
  scope: 'read',
  last4: 'abcd',
  created_at: at,
};
const list = (record: object) => ({
  object: 'list',
  data: [record, record],
  has_more: true,
  next_cursor: 'c',
});
const counts = { total: 1, pending: 0, approved: 1, rejected: 0, refunded: 0 };
const stats = {
  object: 'affiliate_stats',
  affiliate_id: idOf('aff_'),
  conversions: counts,
  currencies: [],
  first_conversion_at: null,
  last_conversion_at: at,
  position: '1234',
};
const samples: Record<OperationId, object | undefined> = {
  listConversions: list(conversion),
  createConversion: conversion,
  getConversion: conversion,
  updateConversion: { ...conversion, approved_at: at, reason: 'x' },
  listAffiliates: { ...list(affiliate), next_cursor: null },
  createAffiliate: affiliate,
  getAffiliate: affiliate,
  updateAffiliate: affiliate,
  deleteAffiliate: undefined,
  getAffiliateStats: stats,
  listWebhooks: list(endpoint),
  subscribe: { ...endpoint, secret: 'whsec_x' },
  unsubscribe: undefined,
  createAccount: { ...account, api_key: 'rk_x' },
  listAccounts: list(account),
  getAccount: account,
  createApiKey: { ...key, api_key: 'rk_x' },
  listApiKeys: list(key),
  revokeApiKey: undefined,
};

it.each(answers)(
  'the serialiser of $id $status writes the record as it is',
  ({ id, status, schema }) => {
    const sample = samples[id];
    expect(schema.safeParse(sample).error).toBeUndefined();
    expect(serialiser(id, status)(sample)).toBe(JSON.stringify(sample));
  },
);

it('writes sums of any size as integers', () => {
  const huge = 2n ** 80n;
  const sums = { total: huge, pending: 0n, approved: huge, rejected: 0n, refunded: 0n };
  const text = serialiser(
    'getAffiliateStats',
    200,
  )({
    ...stats,
    currencies: [
      {
        currency: 'USD',
        conversions: counts,
        sale_amount: sums,
        commission_amount: { ...sums, paid: 0n, unpaid: huge },
      },
    ],
  });
  expect(text).toContain('"total":1208925819614629174706176,');
  expect(text).toContain('"unpaid":1208925819614629174706176}');
});

it('leaves out what a record does not have', () => {
  expect(serialiser('subscribe', 200)(endpoint)).toBe(JSON.stringify(endpoint));
  expect(serialiser('getAccount', 200)({ ...account, salt: 'secret' })).toBe(
    JSON.stringify(account),
  );
});

it('has no schema for an answer without a body', () => {
  expect(answerJsonSchema('deleteAffiliate', 204)).toBeUndefined();
  expect(answerJsonSchema('getAccount', 404)).toBeUndefined();
});
