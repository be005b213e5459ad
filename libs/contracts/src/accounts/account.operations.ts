import { accountSchema, createdAccountSchema } from './account.record.js';
import { apiKeySchema, createdApiKeySchema } from './api-key.record.js';
import { apiKeyList } from './api-key.list.js';
import { createAccountSchema, createApiKeySchema } from './account.requests.js';
import { listQuerySchema } from '../shared/list-spec.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';

/** The operations on accounts and their keys, by operation id. */
export const accountOperations = {
  createAccount: {
    method: 'POST',
    path: '/v1/accounts',
    scope: 'operator',
    summary: 'Create an account',
    body: createAccountSchema,
    responses: { 201: createdAccountSchema },
  },
  listAccounts: {
    method: 'GET',
    path: '/v1/accounts',
    scope: 'operator',
    summary: 'List the accounts',
    query: listQuerySchema,
    responses: { 200: listOf(accountSchema, 'AccountList') },
  },
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    scope: 'read',
    summary: "Read the key's own account",
    responses: { 200: accountSchema },
  },
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'admin',
    summary: 'Create a key (an account has at most 1,000)',
    body: createApiKeySchema,
    responses: { 201: createdApiKeySchema },
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/api-keys',
    scope: 'admin',
    summary: 'List the keys of the account',
    query: apiKeyList.query,
    responses: { 200: listOf(apiKeySchema, 'ApiKeyList') },
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    id: 'key',
    scope: 'admin',
    summary: 'Revoke a key',
    responses: { 204: null },
    problems: ['last_admin_key'],
  },
} as const satisfies Record<string, OperationSpec>;
