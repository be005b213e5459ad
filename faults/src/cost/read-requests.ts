import { expectStatus, type ApiClient, type Change, type Page } from '@refledger/testing';
import type { GrownService, SendRequest } from './grown-service.js';

/** Requests by what they ask for. */
export type SendRequests = Readonly<Record<string, SendRequest>>;

/** Reads a record as of positions of its history. */
export const readsAsOf = async (api: ApiClient, path: string): Promise<SendRequests> => {
  const query = { sort: 'revision', limit: 100 };
  const { data } = expectStatus(200, await api.get<Page<Change>>(`${path}/history`, { query }));
  return filters(api, path, {
    'as of an early change': { as_of: data.at(-1)?.position ?? '' },
    'as of its last change': { as_of: (await api.get(path)).header('refledger-position') ?? '' },
    'as of the time of an early change': { as_of: data.at(-1)?.at ?? '' },
    'as of now': { as_of: new Date().toISOString() },
  });
};

/** Reads pages of a list. */
export const pages = async (
  grown: GrownService,
  path: string,
  client = grown.api,
): Promise<SendRequests> => {
  const cursor = await grown.deepCursor(path, client);
  return filters(client, path, {
    'the first page': {},
    'the oldest first': { sort: 'created_at' },
    'a deep page': { cursor },
  });
};

/** Reads a list or a record with each of these queries. */
export const filters = (
  api: ApiClient,
  path: string,
  queries: Readonly<Record<string, Readonly<Record<string, string>>>>,
): SendRequests =>
  Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [name, () => api.get(path, { query })]),
  );
