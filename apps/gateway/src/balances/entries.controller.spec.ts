import { entrySchema, type EntryRecord, type Position } from '@refledger/contracts';
import { entriesProjection } from '@refledger/projections';
import { chooseIndex, type Query } from '@refledger/read-store';
import { type MoneyReads, Entries } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { EntriesController } from './entries.controller.js';

type Parameters = Call<'listEntries'>['query'];
const example = entrySchema.parse(entrySchema.meta()?.['example']);
const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'read' } as const;
const queries: Query[] = [];
const money = {
  settle: () => Promise.resolve(undefined),
  find: (projection, query) => {
    const value =
      projection === entriesProjection ? [{ record: example }, { record: example }] : [];
    if (projection === entriesProjection) queries.push(query);
    return Promise.resolve({ value, position: '9' as Position });
  },
} satisfies Pick<MoneyReads, 'settle' | 'find'> as Partial<MoneyReads> as MoneyReads;

/** The query of the read model, and the cursor after its first entry. */
const list = async (query: Parameters) => {
  const call = { caller, query: { limit: '1', ...query } };
  const controller = new EntriesController(new Entries(money));
  const { body } = await controller.list(
    call as Partial<Call<'listEntries'>> as Call<'listEntries'>,
  );
  const { next_cursor: cursor } = body as { readonly next_cursor: string };
  const found = queries.at(-1);
  if (found === undefined) throw new Error('nothing was read');
  return { found, cursor };
};
const { position, created_at, id }: EntryRecord = example;
const byPosition = { fields: ['position'], after: [position.padStart(20, '0')] };
const byTime = { fields: ['created_at', 'id'], after: [created_at, id] };
const bound = '2026-01-01T00:00:00Z';

it.each<[Parameters, typeof byPosition, boolean]>([
  [{}, byPosition, true],
  [{ sort: 'position' }, byPosition, false],
  [{ created_after: bound }, byTime, true],
  [{ created_from: bound }, byTime, true],
  [{ created_to: bound, sort: 'created_at' }, byTime, false],
  [{ created_before: bound, sort: 'created_at' }, byTime, false],
  [{ created_after: bound, created_before: bound, sort: '-created_at' }, byTime, true],
])('%j is a range of an index, in its order on every page', async (query, order, descending) => {
  const { found, cursor } = await list(query);
  expect(found.order).toEqual({ fields: order.fields, descending });
  const [collection] = entriesProjection.collections;
  expect(collection && chooseIndex(collection, found)).toBeDefined();
  const next = await list({ ...query, cursor });
  expect(next.found.order).toEqual(found.order);
  expect(next.found.after).toEqual(order.after);
});

it('refuses a cursor of other bounds', async () => {
  const { cursor } = await list({ created_after: bound });
  const refused = expect.objectContaining({ code: 'validation_failed' }) as Error;
  for (const other of [{}, { created_before: bound }, { created_after: '2026-01-02T00:00:00Z' }])
    await expect(list({ ...other, cursor })).rejects.toThrow(refused);
});
