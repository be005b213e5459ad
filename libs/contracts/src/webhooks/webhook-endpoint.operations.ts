import {
  singleEndpointSchema,
  subscribedEndpointSchema,
  webhookEndpointSchema,
} from './webhook-endpoint.record.js';
import { webhookSecretSchema } from './webhook-secret.record.js';
import { webhookStatsSchema } from './webhook-stats.record.js';
import { webhookEndpoints } from './webhook-endpoint.events.js';
import { history } from '../history/record-operations.js';
import { listQuerySchema } from '../shared/list-spec.js';
import { rotateSecretSchema } from './webhook-secret.requests.js';
import {
  subscribeSchema,
  unsubscribeQuerySchema,
  updateWebhookSchema,
  webhookStatsQuerySchema,
} from './webhook-endpoint.requests.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

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
    summary: 'Subscribe an address to event types',
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
    responses: { 200: singleEndpointSchema },
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    id: 'endpoint',
    scope: 'write',
    summary: 'Change a webhook endpoint',
    body: updateWebhookSchema,
    immutable: immutableIn(singleEndpointSchema, updateWebhookSchema),
    responses: { 200: singleEndpointSchema },
    problems: ['target_not_allowed', 'target_exists', 'immutable_field', 'invalid_transition'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    id: 'endpoint',
    scope: 'write',
    summary: 'Delete a webhook endpoint',
    responses: { 204: null },
  },
  getWebhookHistory: history(
    '/v1/webhooks/:id/history',
    'endpoint',
    'Read every change to a webhook endpoint',
    webhookEndpoints,
  ),
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
    summary: 'Rotate the secret of a webhook endpoint, with an overlap in which both secrets sign',
    body: rotateSecretSchema,
    bodyIsOptional: true,
    responses: { 200: webhookSecretSchema },
    problems: ['rotation_in_progress'],
  },
  getWebhookStats: {
    method: 'GET',
    path: '/v1/webhooks/:id/stats',
    id: 'endpoint',
    scope: 'read',
    hasPosition: false,
    summary: 'Read the statistics of a webhook endpoint',
    query: webhookStatsQuerySchema,
    responses: { 200: webhookStatsSchema },
    problems: ['read_model_behind'],
  },
} as const satisfies Record<string, OperationSpec>;
