import { derivedId, newId, type DeliveryId, type EndpointId } from '@refledger/contracts';
import type { Delivery, DeliveryQuery, OpenDeliveryReader } from '@refledger/delivery-store';
import { notFound } from '../own-record.js';
import { DeliveryReads } from './delivery-reads.js';

const accountId = derivedId('account', 'a');
const [live, deleted, unknown] = [newId('endpoint'), newId('endpoint'), newId('endpoint')];
const read = { caller: { accountId, keyId: newId('key') }, minPosition: undefined };

const deliveryOf = (endpointId: EndpointId, status: Delivery['status'] = 'succeeded') =>
  ({
    id: newId('delivery'),
    accountId,
    endpointId,
    eventId: newId('event'),
    status,
    attempts: [],
  }) as unknown as Delivery;

/** Reads of an account that has one endpoint and has deleted another. */
const readsOf = (
  found: readonly Delivery[],
  recoveries: ReadonlyMap<string, DeliveryId> = new Map(),
) => {
  const asked: string[] = [];
  const reader = {
    find: (query: DeliveryQuery) =>
      Promise.resolve({
        deliveries: found.filter(
          (each) => each.endpointId === (query.endpointId ?? each.endpointId),
        ),
        next: undefined,
      }),
    get: (id: DeliveryId) => Promise.resolve(found.find((each) => each.id === id)),
    recoveries: (of: readonly Pick<Delivery, 'eventId'>[]) =>
      Promise.resolve(of.map(({ eventId }) => recoveries.get(eventId))),
  } as unknown as OpenDeliveryReader;
  const reads = new DeliveryReads(
    { read: (work) => work(reader) },
    {
      get: ({ id }) =>
        id === live ? Promise.resolve({} as never) : Promise.reject(notFound('endpoint', id)),
      hasExisted: ({ id }) => {
        asked.push(id);
        return Promise.resolve(id !== unknown);
      },
    },
    { open: () => Promise.resolve({ body: null, responses: [] }) },
  );
  const endpointsOf = async (endpointId?: EndpointId) => {
    const { records } = await reads.listOfAccount(read, queryOf(endpointId));
    return records.map(({ endpoint_id }) => endpoint_id);
  };
  return { reads, asked, endpointsOf };
};

const queryOf = (endpointId?: EndpointId): DeliveryQuery => ({
  accountId,
  endpointId,
  order: { by: 'created_at', descending: true },
  limit: 25,
});

it('the list of an account has deliveries of endpoints that were deleted', async () => {
  const { endpointsOf, asked } = readsOf([deliveryOf(live), deliveryOf(deleted)]);
  expect(await endpointsOf()).toEqual([live, deleted]);
  for (const id of [live, deleted]) expect(await endpointsOf(id)).toEqual([id]);
  expect(asked).toEqual([]);
});

it('a filter that finds nothing is refused only if the endpoint never existed', async () => {
  const { endpointsOf, asked } = readsOf([]);
  expect(await endpointsOf()).toEqual([]);
  for (const id of [live, deleted]) expect(await endpointsOf(id)).toEqual([]);
  await expect(endpointsOf(unknown)).rejects.toMatchObject({
    code: 'validation_failed',
    extras: { errors: [{ path: 'endpoint_id', code: 'not_found' }] },
  });
  expect(asked).toEqual([live, deleted, unknown]);
});

it('shows which later delivery recovered an event that failed or was canceled', async () => {
  const found = (['failed', 'succeeded', 'canceled', 'failed'] as const).map((status) =>
    deliveryOf(live, status),
  );
  const [failed, , canceled] = found.map(({ eventId }) => eventId);
  const [first, second] = [newId('delivery'), newId('delivery')];
  const { reads } = readsOf(
    found,
    new Map([
      [`${failed}`, first],
      [`${canceled}`, second],
    ]),
  );
  const { records } = await reads.list(queryOf());
  expect(records.map(({ recovered_by }) => recovered_by)).toEqual([first, null, second, null]);
});

it('reads a delivery of an endpoint that the caller has, and no other', async () => {
  const strange = { ...deliveryOf(live), accountId: newId('account') };
  const [own, ofDeleted] = [deliveryOf(live), deliveryOf(deleted)];
  const { reads } = readsOf([own, ofDeleted, strange]);
  const get = (id: DeliveryId, endpointId: EndpointId) =>
    reads.get({ ...read, id: endpointId, ids: { delivery_id: id } });
  expect(await get(own.id, live)).toMatchObject({ id: own.id });
  for (const { id, endpointId } of [
    ofDeleted,
    strange,
    { id: ofDeleted.id, endpointId: live },
    { id: newId('delivery'), endpointId: live },
  ])
    await expect(get(id, endpointId)).rejects.toMatchObject({ code: 'not_found' });
});
