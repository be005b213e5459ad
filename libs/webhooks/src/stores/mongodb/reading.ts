import type { Collection } from 'mongodb';
import type { EndpointId } from '@refledger/contracts';
import type { DeliveryStatus, DeliveryStore } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { toDelivery, type DeliveryDocument } from './delivery-document.js';

/** The methods of the store that read deliveries for operators. */
export const reading = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'get' | 'list' | 'endpoints' | 'counts'> => ({
  get: (id) =>
    asStoreErrors(async () => {
      const found = await deliveries.findOne({ _id: id });
      return found === null ? undefined : toDelivery(found);
    }),

  list: ({ endpointId, limit, after }) =>
    asStoreErrors(async () => {
      const last =
        after === undefined
          ? undefined
          : await deliveries.findOne({ _id: after }, { projection: { created_at: 1, n: 1 } });
      if (last === null) return [];
      const of = { endpoint_id: endpointId };
      const older = last && {
        $or: [
          { ...of, created_at: { $lt: last.created_at } },
          { ...of, created_at: last.created_at, n: { $lt: last.n } },
          { ...of, created_at: last.created_at, n: last.n, _id: { $lt: last._id } },
        ],
      };
      return (
        await deliveries
          .find(older ?? of, { sort: { created_at: -1, n: -1, _id: -1 }, limit })
          .toArray()
      ).map(toDelivery);
    }),

  endpoints: () =>
    asStoreErrors(
      async () => (await deliveries.distinct('endpoint_id')).sort() as readonly EndpointId[],
    ),

  counts: (endpoint) =>
    asStoreErrors(async () => {
      const count = async (status: DeliveryStatus) =>
        [
          status,
          await deliveries.countDocuments(
            { status, ...(endpoint !== undefined && { endpoint_id: endpoint }) },
            { hint: 'counted' },
          ),
        ] as const;
      return Object.fromEntries(await Promise.all(statuses.map(count))) as Record<
        DeliveryStatus,
        number
      >;
    }),
});

const statuses: readonly DeliveryStatus[] = [
  'waiting',
  'sending',
  'succeeded',
  'failed',
  'canceled',
];
