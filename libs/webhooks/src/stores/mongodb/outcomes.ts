import type { DeliveryId } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import type { AttemptResult, OperatorStore, SchedulerStore } from '../delivery-store.js';
import { endedUnknown, noLease, openAttempts, type DeliveryDocument } from './delivery-document.js';
import { inSteps, updateInSteps } from './in-steps.js';
import type { RateDocument } from './rates.js';

/** The methods of the store that record outcomes, and remove old deliveries. */
export const outcomes = (
  deliveries: Collection<DeliveryDocument>,
  rates: Collection<RateDocument>,
): Pick<SchedulerStore, 'recordOutcomes' | 'expire'> => ({
  async recordOutcomes(results, holder) {
    for (const some of inSteps(results)) {
      await deliveries.bulkWrite(
        some.map((result) => ({
          updateOne: {
            filter: {
              _id: result.deliveryId,
              status: 'sending',
              holder,
              attempt: result.number,
            },
            ...updateBy(result),
          },
        })),
        { ordered: false },
      );
    }
  },

  async expire(before, limit) {
    const ended = await deliveries
      .find(
        { finished_at: { $lt: before } },
        { sort: { finished_at: 1 }, limit, projection: { _id: 1 } },
      )
      .toArray();
    const { deletedCount } = await deliveries.deleteMany({
      _id: { $in: ended.map(({ _id }) => _id) },
      finished_at: { $lt: before },
    });
    await rates.deleteMany({ full_at: { $lt: Date.parse(before) } });
    return deletedCount;
  },
});

/** The methods of the store that end deliveries before they are sent. */
export const canceling = (
  deliveries: Collection<DeliveryDocument>,
): Pick<SchedulerStore, 'cancel'> & Pick<OperatorStore, 'unfinished' | 'cancelUnfinished'> => ({
  cancel(endpoint, { decidedBelow, reason, now }) {
    return updateInSteps(
      deliveries,
      { endpoint_id: endpoint, status: 'waiting', decided_at: { $lt: BigInt(decidedBelow) } },
      { $set: { status: 'canceled', finished_at: now, reason }, $unset: { due_at: '' } },
    );
  },

  async unfinished(endpoint) {
    const found = await Promise.all(
      (['waiting', 'sending'] as const).map((status) =>
        deliveries
          .find({ endpoint_id: endpoint, status }, { projection: { event_id: 1, position: 1 } })
          .toArray(),
      ),
    );
    // a delivery that was claimed or released meanwhile is in both results
    const byId = found
      .flat()
      .map(({ _id: id, event_id: eventId, position }) => [id, { id, eventId, position }] as const);
    return [...new Map(byId).values()];
  },

  async cancelUnfinished(ids, reason, now) {
    let canceled = 0;
    for (const some of inSteps(ids)) canceled += await cancelAll(deliveries, some, reason, now);
    return canceled;
  },
});

const cancelAll = async (
  deliveries: Collection<DeliveryDocument>,
  ids: readonly DeliveryId[],
  reason: string,
  now: string,
): Promise<number> => {
  const these = { _id: { $in: [...ids] } };
  const end = { status: 'canceled', finished_at: now, reason } as const;
  for (let canceled = 0; ;) {
    const due = await deliveries.updateMany(
      { ...these, status: 'waiting' },
      { $set: end, $unset: { due_at: '' } },
    );
    const started = await deliveries.updateMany(
      { ...these, status: 'sending' },
      { $set: { ...end, ...endedUnknown(now) }, $unset: noLease },
      openAttempts,
    );
    canceled += due.modifiedCount + started.modifiedCount;
    // others may have released some of these meanwhile
    if (due.modifiedCount + started.modifiedCount === 0) return canceled;
  }
};

/** Ends the open attempt of a delivery, or removes it if nothing was sent. */
const updateBy = ({ attempt, failures, endedAt, next }: AttemptResult) => {
  const fields = { status: next.status, failures, ...endOf(endedAt, next) };
  return attempt === null
    ? {
        update: {
          $set: fields,
          $inc: { attempt: -1 },
          $pop: { attempts: 1 as const },
          $unset: noLease,
        },
      }
    : {
        update: { $set: { ...fields, 'attempts.$[open]': attempt }, $unset: noLease },
        ...openAttempts,
      };
};

/** The fields of a delivery after an attempt: when it is due again, or when and why it ended. */
const endOf = (endedAt: string, next: AttemptResult['next']) =>
  next.status === 'waiting'
    ? { due_at: next.dueAt, waits_since: endedAt }
    : { finished_at: endedAt, ...(next.status !== 'succeeded' && { reason: next.reason }) };
