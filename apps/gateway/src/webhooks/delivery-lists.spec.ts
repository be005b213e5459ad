import { derivedId, newId, type EndpointId } from '@refledger/contracts';
import type { DeliveryQuery, OpenDeliveryReader } from '@refledger/delivery-store';
import { notFound } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { DeliveryLists } from './delivery-lists.js';

const accountId = derivedId('account', 'a');
const [live, deleted, unknown] = [newId('endpoint'), newId('endpoint'), newId('endpoint')];

/** Lists of an account that has one endpoint and has deleted another. */
const listsWith = (found: readonly EndpointId[]) => {
  const asked: string[] = [];
  const reader = {
    find: (query: DeliveryQuery) =>
      Promise.resolve({
        deliveries: found
          .filter((endpointId) => endpointId === (query.endpointId ?? endpointId))
          .map((endpointId) => ({ endpointId, status: 'succeeded' })),
        next: undefined,
      }),
  } as unknown as OpenDeliveryReader;
  const lists = new DeliveryLists(
    { read: (work) => work(reader) },
    {
      get: ({ id }) =>
        id === live ? Promise.resolve({} as never) : Promise.reject(notFound('endpoint', id)),
      hasExisted: ({ id }) => {
        asked.push(id);
        return Promise.resolve(id !== unknown);
      },
    },
  );
  return { lists, asked };
};

const rowsOf = (response: { readonly body?: unknown }): readonly unknown[] =>
  (response.body as { data: { endpoint_id: string }[] }).data.map((row) => row.endpoint_id);
const ofAccount = (query: object) =>
  ({ caller: { accountId }, query }) as unknown as Call<'listDeliveries'>;
const ofEndpoint = (id: EndpointId) =>
  ({ caller: { accountId }, id, query: {} }) as unknown as Call<'listEndpointDeliveries'>;

it('the list of an account has deliveries of endpoints that were deleted', async () => {
  const { lists, asked } = listsWith([live, deleted]);
  expect(rowsOf(await lists.ofAccount(ofAccount({})))).toEqual([live, deleted]);
  for (const endpoint_id of [live, deleted])
    expect(rowsOf(await lists.ofAccount(ofAccount({ endpoint_id })))).toEqual([endpoint_id]);
  expect(asked).toEqual([]);
});

it('a filter that finds nothing is refused only if the endpoint never existed', async () => {
  const { lists, asked } = listsWith([]);
  expect(rowsOf(await lists.ofAccount(ofAccount({})))).toEqual([]);
  for (const endpoint_id of [live, deleted])
    expect(rowsOf(await lists.ofAccount(ofAccount({ endpoint_id })))).toEqual([]);
  await expect(lists.ofAccount(ofAccount({ endpoint_id: unknown }))).rejects.toMatchObject({
    code: 'validation_failed',
    extras: { errors: [{ path: 'endpoint_id', code: 'not_found' }] },
  });
  expect(asked).toEqual([live, deleted, unknown]);
});

it('the list of an endpoint needs the endpoint, even if it has deliveries', async () => {
  const { lists } = listsWith([live, deleted]);
  expect(rowsOf(await lists.ofEndpoint(ofEndpoint(live)))).toEqual([live]);
  for (const id of [deleted, unknown])
    await expect(lists.ofEndpoint(ofEndpoint(id))).rejects.toMatchObject({ code: 'not_found' });
});
