import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { EndpointId } from '@refledger/contracts';
import type { Lease } from '../delivery-store.js';
import { begun, type DeliveryDocument } from './delivery-document.js';

/**
 * Takes the earliest due: chooses, claims what is still due of that by one conditional update for all, and reads back what it got by a mark of
 * its own. What another took meanwhile is made up for by choosing again, until there are enough or none is due.
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
