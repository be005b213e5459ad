import { z } from 'zod';
import { accountSchema, createdAccountSchema } from './records/account.record.js';
import { affiliateSchema } from './records/affiliate.record.js';
import { affiliateStatsSchema } from './records/affiliate-stats.record.js';
import { apiKeySchema, createdApiKeySchema } from './records/api-key.record.js';
import { conversionSchema } from './records/conversion.record.js';
import {
  subscribedEndpointSchema,
  webhookEndpointSchema,
} from './records/webhook-endpoint.record.js';
import { createAccountSchema, createApiKeySchema } from './requests/account.requests.js';
import { createAffiliateSchema, updateAffiliateSchema } from './requests/affiliate.requests.js';
import { createConversionSchema, updateConversionSchema } from './requests/conversion.requests.js';
import {
  listAffiliatesQuerySchema,
  listConversionsQuerySchema,
  listQuerySchema,
  noQuerySchema,
  unsubscribeQuerySchema,
} from './requests/list.requests.js';
import { subscribeSchema } from './requests/webhook.requests.js';
import type { ProblemCode } from './problems.js';
import type { Scope } from './scopes.js';

/** One operation of the HTTP interface: everything that routing, validation, serialisation and the OpenAPI document need to know of it. */
export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Under the base URL; `:name` is a path parameter. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly tag: 'Conversions' | 'Affiliates' | 'Webhooks' | 'Accounts and keys';
  readonly scope: Scope;
  readonly query: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Fields of the record that exist but can't be sent: they answer `immutable_field` instead of `unknown_field`. */
  readonly immutable?: readonly string[];
  /** The answers, by status; null is no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** Problems of this operation beyond those that every one can answer. */
  readonly problems: readonly ProblemCode[];
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Answers with an `ETag`; on PATCH and DELETE it takes `If-Match`. */
  readonly etag?: boolean;
}

const listOf = <T extends z.ZodType>(record: T, id: string) =>
  z
    .strictObject({
      object: z.literal('list'),
      data: z.array(record),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    })
    .meta({ id });

const immutableIn = (record: z.ZodObject, patch: z.ZodObject): readonly string[] =>
  Object.keys(record.shape).filter((key) => !(key in patch.shape));

/** Every operation of the interface, by operation id. */
export const operations = {
  listConversions: {
    method: 'GET',
    path: '/v1/conversions',
    tag: 'Conversions',
    scope: 'read',
    summary: 'List conversions',
    query: listConversionsQuerySchema,
    answers: { 200: listOf(conversionSchema, 'ConversionList') },
    problems: ['read_model_behind'],
  },
  createConversion: {
    method: 'POST',
    path: '/v1/conversions',
    tag: 'Conversions',
    scope: 'write',
    summary: 'Record a conversion',
    idempotent: true,
    etag: true,
    query: noQuerySchema,
    body: createConversionSchema,
    answers: { 201: conversionSchema, 200: conversionSchema },
    problems: [
      'conversion_exists',
      'affiliate_not_found',
      'affiliate_not_active',
      'idempotency_key_reused',
    ],
  },
  getConversion: {
    method: 'GET',
    path: '/v1/conversions/:id',
    tag: 'Conversions',
    scope: 'read',
    summary: 'Read a conversion',
    etag: true,
    query: noQuerySchema,
    answers: { 200: conversionSchema },
    problems: ['read_model_behind'],
  },
  updateConversion: {
    method: 'PATCH',
    path: '/v1/conversions/:id',
    tag: 'Conversions',
    scope: 'write',
    summary: 'Change a conversion',
    etag: true,
    query: noQuerySchema,
    body: updateConversionSchema,
    immutable: immutableIn(conversionSchema, updateConversionSchema),
    answers: { 200: conversionSchema },
    problems: ['invalid_transition', 'too_many_revisions', 'revision_mismatch', 'immutable_field'],
  },
  listAffiliates: {
    method: 'GET',
    path: '/v1/affiliates',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'List affiliates',
    query: listAffiliatesQuerySchema,
    answers: { 200: listOf(affiliateSchema, 'AffiliateList') },
    problems: ['read_model_behind'],
  },
  createAffiliate: {
    method: 'POST',
    path: '/v1/affiliates',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Add an affiliate',
    idempotent: true,
    etag: true,
    query: noQuerySchema,
    body: createAffiliateSchema,
    answers: { 201: affiliateSchema, 200: affiliateSchema },
    problems: ['not_found', 'affiliate_exists', 'program_not_found', 'idempotency_key_reused'],
  },
  getAffiliate: {
    method: 'GET',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'Read an affiliate',
    etag: true,
    query: noQuerySchema,
    answers: { 200: affiliateSchema },
    problems: ['read_model_behind'],
  },
  updateAffiliate: {
    method: 'PATCH',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Change an affiliate',
    etag: true,
    query: noQuerySchema,
    body: updateAffiliateSchema,
    immutable: immutableIn(affiliateSchema, updateAffiliateSchema),
    answers: { 200: affiliateSchema },
    problems: [
      'affiliate_exists',
      'invalid_transition',
      'too_many_revisions',
      'revision_mismatch',
      'immutable_field',
    ],
  },
  deleteAffiliate: {
    method: 'DELETE',
    path: '/v1/affiliates/:id',
    tag: 'Affiliates',
    scope: 'write',
    summary: 'Delete an affiliate',
    etag: true,
    query: noQuerySchema,
    answers: { 204: null },
    problems: ['revision_mismatch'],
  },
  getAffiliateStats: {
    method: 'GET',
    path: '/v1/affiliates/:id/stats',
    tag: 'Affiliates',
    scope: 'read',
    summary: 'Read the statistics of an affiliate',
    query: noQuerySchema,
    answers: { 200: affiliateStatsSchema },
    problems: ['read_model_behind'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    scope: 'read',
    summary: 'List webhook endpoints (limit defaults to 100)',
    query: listQuerySchema,
    answers: { 200: listOf(webhookEndpointSchema, 'WebhookEndpointList') },
    problems: ['read_model_behind'],
  },
  subscribe: {
    method: 'POST',
    path: '/v1/webhooks/subscribe',
    tag: 'Webhooks',
    scope: 'write',
    summary: 'Subscribe an address to event kinds',
    query: noQuerySchema,
    body: subscribeSchema,
    answers: { 201: subscribedEndpointSchema, 200: subscribedEndpointSchema },
    problems: ['target_not_allowed', 'too_many_endpoints'],
  },
  unsubscribe: {
    method: 'DELETE',
    path: '/v1/webhooks/subscribe',
    tag: 'Webhooks',
    scope: 'write',
    summary: 'Unsubscribe an address',
    query: unsubscribeQuerySchema,
    answers: { 204: null },
    problems: ['not_found'],
  },
  createAccount: {
    method: 'POST',
    path: '/v1/accounts',
    tag: 'Accounts and keys',
    scope: 'operator',
    summary: 'Make an account',
    query: noQuerySchema,
    body: createAccountSchema,
    answers: { 201: createdAccountSchema },
    problems: [],
  },
  listAccounts: {
    method: 'GET',
    path: '/v1/accounts',
    tag: 'Accounts and keys',
    scope: 'operator',
    summary: 'List the accounts',
    query: listQuerySchema,
    answers: { 200: listOf(accountSchema, 'AccountList') },
    problems: ['read_model_behind'],
  },
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    tag: 'Accounts and keys',
    scope: 'read',
    summary: "Read the key's own account",
    query: noQuerySchema,
    answers: { 200: accountSchema },
    problems: ['read_model_behind'],
  },
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    tag: 'Accounts and keys',
    scope: 'admin',
    summary: 'Make a key (an account has at most 1,000)',
    query: noQuerySchema,
    body: createApiKeySchema,
    answers: { 201: createdApiKeySchema },
    problems: [],
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'Accounts and keys',
    scope: 'admin',
    summary: 'List the keys of the account',
    query: listQuerySchema,
    answers: { 200: listOf(apiKeySchema, 'ApiKeyList') },
    problems: ['read_model_behind'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    tag: 'Accounts and keys',
    scope: 'admin',
    summary: 'Revoke a key',
    query: noQuerySchema,
    answers: { 204: null },
    problems: ['last_admin_key'],
  },
} as const satisfies Record<string, OperationSpec>;

export type OperationId = keyof typeof operations;
