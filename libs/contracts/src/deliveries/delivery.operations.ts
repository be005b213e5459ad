import { deliverySchema, deliveryWithAttemptsSchema } from './delivery.record.js';
import { testWebhookSchema } from './delivery.requests.js';
import { deliveriesQuerySchema, endpointDeliveriesQuerySchema } from './delivery.list.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';

const deliveryList = listOf(deliverySchema, 'DeliveryList');

export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    scope: 'read',
    hasPosition: false,
    summary: 'List the deliveries of all webhook endpoints',
    query: deliveriesQuerySchema,
    responses: { 200: deliveryList },
    problems: ['read_model_behind'],
  },
  listEndpointDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    id: 'endpoint',
    scope: 'read',
    hasPosition: false,
    summary: 'List the deliveries of a webhook endpoint',
    query: endpointDeliveriesQuerySchema,
    responses: { 200: deliveryList },
    problems: ['read_model_behind'],
  },
  getDelivery: {
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries/:delivery_id',
    id: 'endpoint',
    ids: { delivery_id: 'delivery' },
    scope: 'read',
    hasPosition: false,
    summary: 'Read a delivery, with its body and its attempts',
    responses: { 200: deliveryWithAttemptsSchema },
    problems: ['read_model_behind'],
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
    id: 'endpoint',
    ids: { delivery_id: 'delivery' },
    scope: 'write',
    hasPosition: false,
    summary: 'Redeliver the event of a delivery, or attempt a waiting delivery immediately',
    idempotent: true,
    responses: { 202: deliverySchema, 200: deliverySchema },
    problems: ['idempotency_key_reused', 'invalid_transition', 'read_model_behind'],
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    id: 'endpoint',
    scope: 'write',
    hasPosition: false,
    summary: 'Send a test to a webhook endpoint, and wait for its response',
    body: testWebhookSchema,
    bodyIsOptional: true,
    responses: { 200: deliveryWithAttemptsSchema },
    problems: ['too_many_tests', 'read_model_behind'],
  },
} as const satisfies Record<string, OperationSpec>;
