import { isId, type AccountId, type DeliveryId } from '@refledger/contracts';
import type { DeliveryPage, DeliveryCursor, DeliveryQuery } from '@refledger/delivery-store';
import type { Call } from '../http/request/call.js';
import type { ApiResponse } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import { between, createdBetween } from '../lists/instant-bounds.js';
import { deliveryRecord } from './delivery-records.js';

/** The query of one page of deliveries, and its response. */
export interface DeliveryListRequest {
  readonly query: DeliveryQuery;
  /** `recoveries` are those of the page's deliveries, in the same order. */
  response(page: DeliveryPage, recoveries: readonly (DeliveryId | undefined)[]): ApiResponse;
}

/** Keyset pagination over the instant that orders the list, and the id. */
export const deliveryListRequest = (
  accountId: AccountId,
  { limit = '25', cursor, sort = '-created_at', ...filters }: Call<'listDeliveries'>['query'],
): DeliveryListRequest => {
  const { type, finished_after, ...others } = filters;
  const created = createdBetween(filters);
  const finished = between(finished_after, undefined);
  const isByEnd = finished_after !== undefined || sort.endsWith('finished_at');
  const by = isByEnd ? 'finished_at' : 'created_at';
  const selected = {
    accountId,
    endpointId: others.endpoint_id,
    eventId: others.event_id,
    objectId: others.object_id,
    status: others.status,
    trigger: others.trigger,
    eventType: type,
    ...(created.after !== undefined && { createdAfter: created.after }),
    ...(created.before !== undefined && { createdBefore: created.before }),
    ...(finished.after !== undefined && { finishedAfter: finished.after }),
    order: { by, descending: sort.startsWith('-') },
  } satisfies Omit<DeliveryQuery, 'limit'>;
  const scope = ['deliveries', JSON.stringify(selected)];
  return {
    query: {
      ...selected,
      limit: Number(limit),
      ...(cursor !== undefined && { after: decodeCursor(cursor, scope, isDeliveryCursor) }),
    },
    response: ({ deliveries, next }, recoveries) => ({
      status: 200,
      body: {
        object: 'list',
        data: deliveries.map((delivery, n) => deliveryRecord(delivery, recoveries[n])),
        has_more: next !== undefined,
        next_cursor: next === undefined ? null : encodeCursor(next, scope),
      },
    }),
  };
};

const isDeliveryCursor = (values: readonly unknown[]): values is DeliveryCursor => {
  const [at, id, ...more] = values;
  return (
    typeof at === 'string' && typeof id === 'string' && isId('delivery', id) && more.length === 0
  );
};
