import {
  subscribedEndpointSchema,
  webhookSecretSchema,
  webhookEndpointSchema,
} from '../records/webhook-endpoint.record.js';
import { listQuerySchema } from '../requests/list-spec.js';
import {
  rotateSecretSchema,
  subscribeSchema,
  unsubscribeQuerySchema,
  updateWebhookSchema,
} from '../requests/webhook.requests.js';
import { immutableIn, listOf, type OperationSpec } from './operation-spec.js';

/** The operations on webhook endpoints, by operation id. */
export const webhookOperations = {
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'read',
    summary: 'List webhook endpoints (limit defaults to 100)',
    query: listQuerySchema,
    responses: { 200: listOf(webhookEndpointSchema, 'WebhookEndpointList') },
  },
  subscribe: {
    method: 'POST',
    path: '/v1/webhooks/subscribe',
    scope: 'write',
    summary: 'Subscribe an address to event kinds',
    body: subscribeSchema,
    responses: { 201: subscribedEndpointSchema, 200: subscribedEndpointSchema },
    problems: ['target_not_allowed', 'too_many_endpoints', 'rotation_in_progress'],
  },
  unsubscribe: {
    method: 'DELETE',
    path: '/v1/webhooks/subscribe',
    scope: 'write',
    summary: 'Unsubscribe an address',
    query: unsubscribeQuerySchema,
    responses: { 204: null },
    problems: ['not_found'],
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/:id',
    id: 'endpoint',
    scope: 'read',
    summary: 'Read a webhook endpoint',
    responses: { 200: webhookEndpointSchema },
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    id: 'endpoint',
    scope: 'write',
    summary: 'Change a webhook endpoint',
    body: updateWebhookSchema,
    immutable: immutableIn(webhookEndpointSchema, updateWebhookSchema),
    responses: { 200: webhookEndpointSchema },
    problems: ['target_not_allowed', 'target_exists', 'immutable_field'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    id: 'endpoint',
    scope: 'write',
    summary: 'Delete a webhook endpoint',
    responses: { 204: null },
  },
  getWebhookSecret: {
    method: 'GET',
    path: '/v1/webhooks/:id/secret',
    id: 'endpoint',
    scope: 'admin',
    summary: 'Read the secret of a webhook endpoint',
    responses: { 200: webhookSecretSchema },
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    id: 'endpoint',
    scope: 'admin',
    summary: 'Give a webhook endpoint a new secret, beside which the earlier one signs for a while',
    body: rotateSecretSchema,
    responses: { 200: webhookSecretSchema },
    problems: ['rotation_in_progress'],
  },
} as const satisfies Record<string, OperationSpec>;
