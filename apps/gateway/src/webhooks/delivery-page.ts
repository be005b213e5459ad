import { isId, type AccountId } from '@refledger/contracts';
import {
  placeOf,
  type DeliveryPlace,
  type DeliveryQuery,
  type DeliverySummary,
} from '@refledger/webhooks';
import type { Call } from '../http/request/call.js';
import type { ApiResponse } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import { floorInstant } from '../lists/list-query.js';
import { deliveryRecord } from './delivery-records.js';

/** The query of one page of deliveries, and its response. */
export interface DeliveryPage {
  /** It asks for one delivery more than the page has, to tell whether more follow. */
  readonly query: DeliveryQuery;
  response(found: readonly DeliverySummary[]): ApiResponse;
}

/** Keyset pagination over the instant that orders the list, and the id. */
export const deliveryPage = (
  accountId: AccountId,
  { limit = '25', cursor, sort = '-created_at', ...filters }: Call<'listDeliveries'>['query'],
): DeliveryPage => {
  const { type, finished_after, ...others } = filters;
  const isByEnd = finished_after !== undefined || sort.endsWith('finished_at');
  const by = isByEnd ? 'finished_at' : 'created_at';
  const size = Number(limit);
  const selected = {
    accountId,
    endpointId: others.endpoint_id,
    eventId: others.event_id,
    objectId: others.object_id,
    status: others.status,
    trigger: others.trigger,
    eventType: type,
    ...(finished_after !== undefined && { finishedAfter: floorInstant(finished_after) }),
    order: { by, descending: sort.startsWith('-') },
  } satisfies Omit<DeliveryQuery, 'limit'>;
  const scope = ['deliveries', JSON.stringify(selected)];
  return {
    query: {
      ...selected,
      limit: size + 1,
      ...(cursor !== undefined && { after: decodeCursor(cursor, scope, isPlace) }),
    },
    response(found) {
      const shown = found.slice(0, size);
      const last = found.length > size ? shown.at(-1) : undefined;
      return {
        status: 200,
        body: {
          object: 'list',
          data: shown.map(deliveryRecord),
          has_more: last !== undefined,
          next_cursor: last === undefined ? null : encodeCursor(placeOf(last, by), scope),
        },
      };
    },
  };
};

const isPlace = (values: readonly unknown[]): values is DeliveryPlace => {
  const [at, id, ...more] = values;
  return (
    typeof at === 'string' && typeof id === 'string' && isId('delivery', id) && more.length === 0
  );
};
