import type { z } from 'zod';
import fastJson from 'fast-json-stringify';
import type { Schema } from 'fast-json-stringify';
import { responseJsonSchema } from './response-schema.js';
import { operations } from '../operations/operations.js';
import type { OperationId, OperationSpec } from '../operations/operations.js';
import { adjustmentSchema } from '../adjustments/adjustment.record.js';
import { affiliateSchema } from '../affiliates/affiliate.record.js';
import { entrySchema } from '../balances/entry.record.js';
import { noCommission } from '../shared/commission.js';
import { conversionSchema } from '../conversions/conversion.record.js';
import { deliveryWithAttemptsSchema } from '../deliveries/delivery.record.js';
import { payoutSchema } from '../payouts/payout.record.js';
import { payoutRunPreviewSchema } from '../payout-runs/payout-run-preview.record.js';
import { payoutRunSchema } from '../payout-runs/payout-run.record.js';
import { programSchema } from '../programs/program.record.js';
import { erasureSchema } from '../erasures/erasure.record.js';
import { replaySchema } from '../replays/replay.record.js';
import { webhookStatsSchema } from '../webhooks/webhook-stats.record.js';

const responses = Object.entries<OperationSpec>(operations).flatMap(
  ([id, { responses: byStatus }]) =>
    Object.entries(byStatus).flatMap(([status, schema]) =>
      schema === null ? [] : [{ id: id as OperationId, status: Number(status), schema }],
    ),
);
const serializer = (id: OperationId, status: number) =>
  fastJson(responseJsonSchema(id, status) as Schema);

const at = '2026-01-31T09:30:00.000Z';
const idOf = (prefix: string) => prefix + '0'.repeat(26);
const conversion = {
  ...conversionSchema.parse(conversionSchema.meta()?.['example']),
  sale_amount: 999_999_999_999,
  external_transaction_id: 'tx "1" \u2028 é 🦆',
  metadata: { 'a"b': '\\', description: 'kept' },
  approved_at: null,
};
const affiliate = {
  ...affiliateSchema.parse(affiliateSchema.meta()?.['example']),
  metadata: {},
  reason: '',
};
const program = {
  ...programSchema.parse(programSchema.meta()?.['example']),
  metadata: { 'a"b': '\\' },
};
const adjustment = {
  ...adjustmentSchema.parse(adjustmentSchema.meta()?.['example']),
  amount: -999_999_999_999,
  description: 'a "deduction" \u2028 é 🦆',
  external_id: null,
  metadata: { 'a"b': '\\' },
};
const flat = {
  type: 'flat',
  amounts: { USD: 500, JPY: 0 },
  recurring: 'first',
  hold_days: 0,
};
const termsVersion = {
  object: 'terms_version',
  version: 1,
  terms: flat,
  in_force_from: { at, position: '7' },
  in_force_to: null,
  actor: { type: 'api_key', id: idOf('key_'), name: null },
  reason: null,
};
const balance = {
  id: idOf('bal_'),
  object: 'balance',
  affiliate_id: idOf('aff_'),
  program_id: 'prog_spring',
  currency: 'USD',
  earned: 12n,
  adjusted: -5n,
  held: 3n,
  payable: 4n,
  in_payout: 0n,
  paid: 0n,
  on: '2026-11-22',
  schedule: [{ payable_on: '2026-12-02', amount: 3n }],
  minimum: null,
  eligible: false,
  not_eligible: ['not_approved', 'payout_hold'],
  entries: 9,
  chain: 'f'.repeat(64),
  created_at: at,
  updated_at: at,
  position: '1234',
};
const summary = {
  object: 'balance_summary',
  on: '2026-11-22',
  currencies: [
    { currency: 'USD', held: 3n, payable: 4n, negative: -1n, in_payout: 0n, balances: 3 },
  ],
  position: '1234',
};
const entry = {
  ...entrySchema.parse(entrySchema.meta()?.['example']),
  amount: -999_999_999_999,
  description: 'a "bonus"',
};
const payout = payoutSchema.parse(payoutSchema.meta()?.['example']);
const run = payoutRunSchema.parse(payoutRunSchema.meta()?.['example']);
const statementLines = [
  {
    at,
    kind: 'adjustment',
    amount: 8n,
    entry_id: idOf('ent_'),
    adjustment_id: idOf('adj_'),
    description: 'a "bonus"',
    payable_on: '2026-11-02',
  },
  { at, kind: 'paid', amount: -5n, payout_id: idOf('pay_') },
];
const statement = {
  object: 'statement',
  balance_id: idOf('bal_'),
  affiliate_id: idOf('aff_'),
  currency: 'USD',
  from: at,
  to: at,
  final: false,
  opening: 1n,
  commission: 2n,
  correction: -1n,
  reversal: -2n,
  adjustment: 8n,
  paid: -5n,
  returned: 0n,
  closing: 3n,
  chain: 'f'.repeat(64),
  data: statementLines,
  has_more: false,
  next_cursor: null,
};
const statementTotals = {
  currency: 'USD',
  opening: 1n,
  earned: -1n,
  adjusted: 8n,
  paid: -5n,
  closing: 3n,
  balances: 1,
};
const statementSummary = {
  object: 'statement_summary',
  month: '2026-01',
  from: at,
  to: at,
  final: true,
  currencies: [statementTotals],
  position: '1234',
};
const end = { object: 'end', count: 0, chain: 'f'.repeat(64), position: '1234' };
const endpoint = {
  id: idOf('whk_'),
  object: 'webhook_endpoint',
  target_url: 'https://a',
  events: ['conversion.created'],
  description: null,
  status: 'enabled',
  disabled: null,
  health: 'failing',
  failing_since: at,
  payload: 'full',
  max_per_second: null,
  secret_rotation: null,
  created_at: at,
  updated_at: at,
};
const account = { id: idOf('acct_'), object: 'account', name: 'Shop', created_at: at };
const made = { object: 'api_key', name: 'k', scope: 'read', last4: 'abcd', created_at: at };
const key = { id: idOf('key_'), ...made, expires_at: null, last_used_at: at };
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
const change = (type: string, record: object, more: object = {}) => ({
  id: idOf('evt_'),
  object: 'change',
  type,
  revision: 1,
  position: '1234',
  at,
  actor: { type: 'api_key', id: idOf('key_'), name: 'shop "server"' },
  request_id: 'r',
  reason: null,
  changes: [
    { path: '/status', before: 'pending', after: 'approved' },
    { path: '/metadata/a~1b', before: null, after: 'c' },
    { path: '/commission', before: { rate_bps: 1 }, after: { rate_bps: 2, why: ['d'] } },
  ],
  ...more,
  record,
});
const exampleOf = <S extends z.ZodType>(schema: S) => schema.parse(schema.meta()?.['example']);
const deliveryAlone = exampleOf(deliveryWithAttemptsSchema);
const { body: _body, attempts: _attempts, ...delivery } = deliveryAlone;
const [erasure, replay] = [exampleOf(erasureSchema), exampleOf(replaySchema)];
const inFlight = { duration_ms: null, outcome: null, status_code: null, response_headers: null };
const samples: Record<OperationId, object | string | undefined> = {
  listConversions: list(conversion),
  createConversion: conversion,
  getConversion: conversion,
  updateConversion: { ...conversion, approved_at: at, reason: 'x' },
  getConversionHistory: list(change('conversion.approved', conversion)),
  listAffiliates: { ...list(affiliate), next_cursor: null },
  createAffiliate: affiliate,
  getAffiliate: affiliate,
  updateAffiliate: affiliate,
  deleteAffiliate: undefined,
  getAffiliateStats: stats,
  getAffiliateHistory: list(
    change('affiliate.updated', { ...affiliate, email: null, name: null }, { erased: true }),
  ),
  eraseAffiliate: erasure,
  getErasure: erasure,
  listErasures: list(erasure),
  listPrograms: list(program),
  createProgram: program,
  getProgram: { ...program, terms: flat },
  updateProgram: { ...program, terms: null, minimum_payout: {} },
  listProgramTerms: list(termsVersion),
  quoteSale: { commission_amount: 0, commission: noCommission, payable_on: '2026-01-31' },
  getProgramHistory: list(change('program.updated', program)),
  listAdjustments: list(adjustment),
  createAdjustment: adjustment,
  getAdjustment: adjustment,
  updateAdjustment: { ...adjustment, status: 'voided', reason: 'x' },
  getAdjustmentHistory: list(change('adjustment.voided', adjustment)),
  listPayouts: list(payout),
  createPayout: { ...payout, status: 'created', reference: null, completed_at: null, revision: 0 },
  getPayout: payout,
  updatePayout: { ...payout, status: 'failed', reason: 'x' },
  importPayouts: {
    object: 'end',
    lines: 3,
    created: 0,
    replayed: 1,
    updated: 1,
    failed: 1,
    position: '7',
  },
  listPayoutEntries: list(entry),
  getPayoutHistory: list(change('payout.failed', payout)),
  listPayoutRuns: list(run),
  createPayoutRun: {
    ...run,
    status: 'running',
    payouts: { created: 0, skipped: null },
    totals: [],
    marks: [],
    finished_at: null,
  },
  getPayoutRun: run,
  updatePayoutRun: { ...run, affiliate_ids: ['aff_00000000000000000000000001'] },
  getPayoutRunFile: 'payout_id,amount\r\n',
  getPayoutRunHistory: list(change('payout_run.started', run)),
  listBalances: list(balance),
  getBalanceSummary: summary,
  getBalance: { ...balance, minimum: 5_000, schedule: [] },
  getBalanceLedger: end,
  getBalanceStatement: statement,
  getStatementSummary: statementSummary,
  getAffiliateBalances: { ...list(balance), has_more: false, next_cursor: null },
  listEntries: list(entry),
  getEntry: entry,
  listWebhooks: list(endpoint),
  subscribe: { ...endpoint, waiting: 0, held: 0, secret: 'whsec_x' },
  unsubscribe: undefined,
  getWebhook: { ...endpoint, waiting: 10_000, held: null },
  updateWebhook: { ...endpoint, disabled: { reason: 'gone', at }, waiting: 2, held: 1 },
  deleteWebhook: undefined,
  getWebhookHistory: list(change('webhook.secret_rotated', endpoint)),
  getWebhookSecret: { object: 'webhook_secret', secret: 'whsec_x', previous: null },
  rotateWebhookSecret: {
    object: 'webhook_secret',
    secret: 'whsec_x',
    previous: { secret: 'whsec_y', signs_until: at },
  },
  getWebhookStats: webhookStatsSchema.parse(webhookStatsSchema.meta()?.['example']),
  listDeliveries: list(delivery),
  listEndpointDeliveries: list({ ...delivery, next_attempt_at: null, finished_at: at }),
  getDelivery: {
    ...deliveryAlone,
    attempts: [...deliveryAlone.attempts, { ...deliveryAlone.attempts[0], ...inFlight }],
  },
  redeliver: { ...delivery, trigger: 'redeliver', status: 'held', recovered_by: idOf('dlv_') },
  testWebhook: { ...deliveryAlone, trigger: 'test', position: '0' },
  createReplay: replay,
  listReplays: list({ ...replay, status: 'finished', finished_at: at }),
  getReplay: { ...replay, types: ['conversion.created'] },
  stopReplay: undefined,
  createAccount: { ...account, api_key: 'rk_x' },
  listAccounts: list(account),
  getAccount: account,
  createApiKey: { ...key, api_key: 'rk_x' },
  listApiKeys: list(key),
  revokeApiKey: undefined,
};

/** JSON in which a sum is an integer of any size. */
const jsonOf = (sample: unknown): string =>
  JSON.stringify(sample, (_key, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );

it.each(responses)(
  'the serializer of $id $status writes the record unchanged',
  ({ id, status, schema }) => {
    const sample = samples[id];
    expect(schema.safeParse(sample).error).toBeUndefined();
    expect(serializer(id, status)(sample)).toBe(jsonOf(sample));
  },
);

it('writes a preview of a payout run under the same status as the run of a replayed request', () => {
  const sum = { balances: 1, amount: -(2n ** 80n) };
  const preview = {
    object: 'payout_run_preview',
    until: '2026-01-31',
    totals: [
      {
        currency: 'USD',
        payouts: 1,
        amount: 2n ** 80n,
        nothing_payable: sum,
        negative: sum,
        not_approved: sum,
        payout_hold: sum,
        below_minimum: sum,
        too_many_open_payouts: sum,
        too_many_ranges: sum,
        payee_changed: sum,
      },
    ],
    position: '7',
    has_more: false,
    next_cursor: null,
  };
  expect(payoutRunPreviewSchema.safeParse(preview).error).toBeUndefined();
  const text = serializer('createPayoutRun', 200)(preview);
  expect(text).toContain('"amount":1208925819614629174706176,');
  expect(text).toContain('"negative":{"balances":1,"amount":-1208925819614629174706176},');
  expect(JSON.parse(text)).toEqual(JSON.parse(jsonOf(preview)));
});

it('writes sums of any size as integers', () => {
  const huge = 2n ** 80n;
  expect(serializer('getBalance', 200)({ ...balance, payable: -huge })).toContain(
    '"payable":-1208925819614629174706176,',
  );
  const sums = { total: huge, pending: 0n, approved: huge, rejected: 0n, refunded: 0n };
  const text = serializer(
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

it('omits missing fields', () => {
  const known = { ...endpoint, waiting: 0, held: 0 };
  expect(serializer('subscribe', 200)(known)).toBe(JSON.stringify(known));
  expect(serializer('getAccount', 200)({ ...account, unknown: 'field' })).toBe(
    JSON.stringify(account),
  );
});

it('has no schema for a response without a body', () => {
  expect(() => responseJsonSchema('deleteAffiliate', 204)).toThrow(TypeError);
  expect(() => responseJsonSchema('getAccount', 404)).toThrow(TypeError);
});
