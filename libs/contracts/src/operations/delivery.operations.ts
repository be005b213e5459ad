import { deliverySchema, deliveryWithAttemptsSchema } from '../records/delivery.record.js';
import {
  deliveriesQuerySchema,
  endpointDeliveriesQuerySchema,
} from '../requests/delivery.requests.js';
import { listOf, type OperationSpec } from './operation-spec.js';

const deliveryList = listOf(deliverySchema, 'DeliveryList');

/** The operations on deliveries, by operation id. */
export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    scope: 'read',
    hasPosition: false,
    summary: 'List the deliveries of all webhook endpoints',
    query: deliveriesQuerySchema,
    responses: { 200: deliveryList },
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
  },
} as const satisfies Record<string, OperationSpec>;
