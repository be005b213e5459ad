import type { Collection } from 'mongodb';
import type { EndpointId } from '@refledger/contracts';
import type { DeliveryStore } from '../delivery-store.js';
import { asStoreErrors } from './as-store-errors.js';
import { noLease, toDelivery, type DeliveryDocument } from './delivery-document.js';
import { claim } from './claim.js';

/** The methods of the store for the scheduler: finding due deliveries, and claiming them. */
export const claims = (
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryStore, 'claim' | 'endpointsWithWork' | 'nextDueAt' | 'renew' | 'release'> => ({
  claim: (endpoint, limit, lease) =>
    asStoreErrors(async () => (await claim(deliveries, endpoint, limit, lease)).map(toDelivery)),

  endpointsWithWork: (now) =>
    asStoreErrors(async () => {
      const due = await deliveries.distinct('endpoint_id', {
        status: 'waiting',
        due_at: { $lte: now },
      });
      const lost = await deliveries.distinct('endpoint_id', {
        status: 'sending',
        lease_until: { $lte: now },
      });
      return [...new Set([...due, ...lost])] as readonly EndpointId[];
    }),

  nextDueAt: (after) =>
    asStoreErrors(async () => {
      const due = await deliveries.findOne(
        { status: 'waiting', due_at: { $gt: after } },
        { sort: { due_at: 1 }, projection: { due_at: 1 } },
      );
      const lost = await deliveries.findOne(
        { status: 'sending', lease_until: { $gt: after } },
        { sort: { lease_until: 1 }, projection: { lease_until: 1 } },
      );
      return [due?.due_at ?? [], lost?.lease_until ?? []].flat().sort()[0];
    }),

  renew: (ids, { holder, leaseUntil }) =>
    asStoreErrors(async () => {
      await deliveries.updateMany(
        { _id: { $in: [...ids] }, status: 'sending', holder },
        { $set: { lease_until: leaseUntil } },
      );
    }),

  release: (ids, { holder, now }) =>
    asStoreErrors(async () => {
      await deliveries.updateMany(
        { _id: { $in: [...ids] }, status: 'sending', holder },
        {
          $set: { status: 'waiting', due_at: now },
          $inc: { attempt: -1 },
          $pop: { attempts: 1 },
          $unset: noLease,
        },
      );
    }),
});
