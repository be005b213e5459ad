import { isId, type EndpointId, type ReplayId } from '@refledger/contracts';
import type { Replay, ReplayQuery } from '@refledger/delivery-store';
import type { ApiResponse, Call } from '../http/request/call.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import { createdBetween } from '../lists/instant-bounds.js';
import { replayRecord } from './replay-records.js';

/** The query of one page of an endpoint's replays, and its response. */
export interface ReplayListRequest {
  /** It asks for one replay more than the page has, to tell whether more follow. */
  readonly query: ReplayQuery;
  response(found: readonly Replay[]): ApiResponse;
}

/** Keyset pagination over the instant of creation, and the id. */
export const replayListRequest = (
  endpointId: EndpointId,
  { limit = '25', cursor, sort = '-created_at', ...bounds }: Call<'listReplays'>['query'],
): ReplayListRequest => {
  const size = Number(limit);
  const { after, before } = createdBetween(bounds);
  const within = {
    ...(after !== undefined && { createdAfter: after }),
    ...(before !== undefined && { createdBefore: before }),
  };
  const scope = ['replays', endpointId, sort, ...Object.entries(within).flat()];
  return {
    query: {
      endpointId,
      ...within,
      descending: sort.startsWith('-'),
      after: cursor === undefined ? undefined : decodeCursor(cursor, scope, isPlace),
      limit: size + 1,
    },
    response: (found) => {
      const page = found.slice(0, size);
      const last = found.length > size ? page.at(-1) : undefined;
      return {
        status: 200,
        body: {
          object: 'list',
          data: page.map(replayRecord),
          has_more: last !== undefined,
          next_cursor: last === undefined ? null : encodeCursor([last.createdAt, last.id], scope),
        },
      };
    },
  };
};

const isPlace = (
  values: readonly unknown[],
): values is readonly [createdAt: string, id: ReplayId] => {
  const [at, id, ...more] = values;
  return (
    typeof at === 'string' && typeof id === 'string' && isId('replay', id) && more.length === 0
  );
};
