import type { EventLog } from '@refledger/event-log';
import type { Query, ReadStore } from '@refledger/read-store';
import { conversionsProjection, type Projection } from '../src/index.js';

/** The conversions of the builders' account, newest first. */
export const newest: Query = {
  where: [{ field: 'account_id', equals: 'acct_1' }],
  order: { fields: ['created_at', 'id'], descending: true },
  limit: 100,
};

/** The ids of the documents that a projection has stored. */
export const idsIn = async (
  store: ReadStore,
  log: EventLog,
  projection = conversionsProjection,
): Promise<unknown[]> =>
  (
    await store.find(projection, log.id, projection.collections[0]?.name ?? projection.name, newest)
  ).value
    .map(({ record }) => record?.['id'])
    .sort();

/** The builds of a projection, newest last. */
export const buildsOf = async (store: ReadStore, projection: string) =>
  (await store.builds(projection)).map(({ id, state, version, logId }) => ({
    id,
    state,
    version,
    logId,
  }));

/** `conversions`, with every document marked with the version of the code that made it. */
export const marked = (version: number): Projection => ({
  ...conversionsProjection,
  version,
  evolve: (document, event, key) => {
    const next = conversionsProjection.evolve(document, event, key);
    return next && { ...next, shape: version };
  },
});
