import { derivedId, newId, type EndpointId } from '@refledger/contracts';
import { notFound } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { DeliveriesController } from './deliveries.controller.js';

const accountId = derivedId('account', 'a');
const [live, deleted] = [newId('endpoint'), newId('endpoint')];
const ofEndpoint = (id: EndpointId, query: object) =>
  ({ caller: { accountId }, id, query }) as unknown as Call<'listEndpointDeliveries'>;

it('the list of an endpoint needs the endpoint, even if it has deliveries', async () => {
  // the casts hold: only these methods are called
  const controller = new DeliveriesController(
    {
      list: ({ endpointId }: { readonly endpointId: string }) =>
        Promise.resolve({ records: [{ endpoint_id: endpointId }], next: undefined }),
    } as never,
    {
      get: ({ id }: { readonly id: string }) =>
        id === live ? Promise.resolve({}) : Promise.reject(notFound('endpoint', id)),
    } as never,
    {} as never,
    {} as never,
  );
  const { body } = await controller.listOfEndpoint(ofEndpoint(live, {}));
  expect(body).toMatchObject({ data: [{ endpoint_id: live }], has_more: false, next_cursor: null });
  for (const query of [{}, { cursor: 'WzEsMl0' }])
    await expect(controller.listOfEndpoint(ofEndpoint(deleted, query))).rejects.toMatchObject({
      code: 'not_found',
    });
});
