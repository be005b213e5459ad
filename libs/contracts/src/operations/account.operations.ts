import { accountSchema, createdAccountSchema } from '../records/account.record.js';
import { apiKeySchema, createdApiKeySchema } from '../records/api-key.record.js';
import { createAccountSchema, createApiKeySchema } from '../requests/account.requests.js';
import { listQuerySchema, noQuerySchema } from '../requests/list.requests.js';
import { listOf } from './list-of.js';
import type { OperationSpec } from './operation-spec.js';

/** The operations on accounts and their keys, by operation id. */
export const accountOperations = {
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
