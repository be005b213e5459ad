import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { EndpointId } from '@refledger/contracts';
import type { Lease } from '../delivery-store.js';
import { begun, type DeliveryDocument } from './delivery-document.js';

/**
 * Claims the earliest due deliveries: chooses some, claims those that are still due by one
 * conditional update, and reads them back by a claim id of its own. If other dispatchers claimed
 * some meanwhile, it chooses again, until it has enough or none is due.
 */
export const claim = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  limit: number,
  { holder, leaseUntil, now }: Lease,
): Promise<readonly DeliveryDocument[]> => {
  const taken: DeliveryDocument[] = [];
  const isDue = { endpoint_id: endpoint, status: 'waiting', due_at: { $lte: now } } as const;
  while (taken.length < limit) {
    const chosen = await deliveries
      .find(isDue, {
        sort: { due_at: 1, created_at: 1, n: 1 },
        limit: limit - taken.length,
        projection: { _id: 1 },
      })
      .toArray();
    if (chosen.length === 0) break;
    const ids = chosen.map(({ _id }) => _id);
    const claim = randomUUID();
    const number = { $add: ['$attempt', 1] };
    await deliveries.updateMany({ ...isDue, _id: { $in: ids } }, [
      {
        $set: {
          status: 'sending',
          attempt: number,
          attempts: { $concatArrays: ['$attempts', [{ ...begun(0, now), number }]] },
          holder,
          lease_until: leaseUntil,
          claim,
        },
      },
      { $unset: 'due_at' },
    ]);
    const claimed = new Map(
      (await deliveries.find({ _id: { $in: ids }, claim }).toArray()).map((document) => [
        document._id,
        document,
      ]),
    );
    taken.push(...ids.flatMap((id) => claimed.get(id) ?? []));
  }
  return taken;
};
