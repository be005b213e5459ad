import {
  subscribedEndpointSchema,
  webhookEndpointSchema,
} from '../records/webhook-endpoint.record.js';
import {
  listQuerySchema,
  noQuerySchema,
  unsubscribeQuerySchema,
} from '../requests/list.requests.js';
import { subscribeSchema } from '../requests/webhook.requests.js';
import { listOf } from './list-of.js';
import type { OperationSpec } from './operation-spec.js';

/** The operations on webhook endpoints, by operation id. */
export const webhookOperations = {
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
} as const satisfies Record<string, OperationSpec>;
