import { isId, type AccountId, type EndpointId, type Id } from '@refledger/contracts';
import type { DeliveryQuery, ReplayQuery } from '@refledger/delivery-store';
import { listResponse } from '../http/responses.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { cursorAfter, pageRequest } from '../lists/cursor.js';
import {
  exclusiveBounds,
  createdBetween,
  type CreatedParameters,
} from '../lists/instant-bounds.js';

/** The query of one page of deliveries or replays: keyset pagination over an instant and an id. */
export interface ListRequest<Query> {
  readonly query: Query;
  /** Names the list. A cursor of another one is rejected. */
  readonly scope: readonly string[];
}

/** The query of one page of an account's deliveries. */
export const deliveryListRequest = (
  accountId: AccountId,
  { limit, cursor, sort = '-created_at', ...filters }: Call<'listDeliveries'>['query'],
): ListRequest<DeliveryQuery> => {
  const { type, finished_after, ...others } = filters;
  const { after: finishedAfter } = exclusiveBounds(finished_after, undefined);
  const isByEnd = finished_after !== undefined || sort.endsWith('finished_at');
  const selected = {
    accountId,
    endpointId: others.endpoint_id,
    eventId: others.event_id,
    objectId: others.object_id,
    status: others.status,
    trigger: others.trigger,
    eventType: type,
    ...createdWithin(filters),
    ...(finishedAfter !== undefined && { finishedAfter }),
    order: { by: isByEnd ? 'finished_at' : 'created_at', descending: sort.startsWith('-') },
  } satisfies Omit<DeliveryQuery, 'limit'>;
  const scope = ['deliveries', JSON.stringify(selected)];
  const page = pageRequest({ limit, cursor }, scope, isCursorOf('delivery'));
  return { query: { ...selected, limit: page.size, after: page.after }, scope };
};

/** The query of one page of an endpoint's replays. */
export const replayListRequest = (
  endpointId: EndpointId,
  { limit, cursor, sort = '-created_at', ...bounds }: Call<'listReplays'>['query'],
): ListRequest<ReplayQuery> => {
  const within = createdWithin(bounds);
  const scope = ['replays', endpointId, sort, ...Object.entries(within).flat()];
  const { size, after } = pageRequest({ limit, cursor }, scope, isCursorOf('replay'));
  const descending = sort.startsWith('-');
  return { query: { endpointId, ...within, descending, after, limit: size }, scope };
};

/** The response with one page of the list of this scope. `next`: where the next page begins. */
export const pageResponse = (
  { records, next }: { readonly records: readonly unknown[]; readonly next: RowCursor | undefined },
  scope: readonly string[],
): ApiResponse => listResponse(records, cursorAfter(next, scope), undefined);

type Kind = 'delivery' | 'replay';
type RowCursor<K extends Kind = Kind> = readonly [instant: string, id: Id<K>];

const createdWithin = (
  parameters: CreatedParameters,
): Pick<ReplayQuery, 'createdAfter' | 'createdBefore'> => {
  const { after, before } = createdBetween(parameters);
  return {
    ...(after !== undefined && { createdAfter: after }),
    ...(before !== undefined && { createdBefore: before }),
  };
};

const isCursorOf =
  <K extends Kind>(kind: K) =>
  (values: readonly unknown[]): values is RowCursor<K> => {
    const [at, id, ...more] = values;
    return typeof at === 'string' && typeof id === 'string' && isId(kind, id) && more.length === 0;
  };
