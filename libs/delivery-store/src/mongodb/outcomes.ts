import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { Collection } from 'mongodb';
import type { AttemptResult, SchedulerStore } from '../scheduler-store.js';
import type { OperatorStore, UnfinishedDelivery } from '../delivery-store.js';
import { endedUnknown, noLease, openAttempts, type DeliveryDocument } from './delivery-document.js';
import { inSteps, updateInSteps } from './in-steps.js';

/** The method of the store that records outcomes. */
export const outcomes = (
  deliveries: Collection<DeliveryDocument>,
): Pick<SchedulerStore, 'recordOutcomes'> => ({
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
});

/** The methods of the store that hold or cancel deliveries before they are sent. */
export const canceling = (
  deliveries: Collection<DeliveryDocument>,
): Pick<SchedulerStore, 'hold' | 'unholdReplays' | 'holdRetries' | 'cancel'> &
  Pick<OperatorStore, 'unfinished' | 'lowerDecidedAt' | 'cancelUnfinished'> => ({
  hold(endpoint, decidedBelow) {
    return updateInSteps(
      deliveries,
      {
        endpoint_id: endpoint,
        status: 'waiting',
        decided_at: { $lt: BigInt(decidedBelow) },
        trigger: { $ne: 'test' },
      },
      { $set: { status: 'held' }, $unset: { due_at: '' } },
    );
  },

  async unholdReplays(endpoint) {
    const held = { endpoint_id: endpoint, status: 'held', trigger: 'replay' } as const;
    await updateInSteps(deliveries, held, { $set: { status: 'waiting' } });
  },

  holdRetries: (endpoint, now) => holdRetries(deliveries, endpoint, now),

  async cancel(endpoint, { decidedBelow, trigger, reason, now }) {
    let canceled = 0;
    // one by one, since each has an index of its own
    for (const status of ['waiting', 'held'] as const)
      canceled += await updateInSteps(
        deliveries,
        {
          endpoint_id: endpoint,
          status,
          decided_at: { $lt: BigInt(decidedBelow) },
          ...(trigger !== undefined && { trigger }),
        },
        { $set: { status: 'canceled', finished_at: now, reason }, $unset: { due_at: '' } },
      );
    return canceled;
  },

  async lowerDecidedAt(ids, to) {
    for (const some of inSteps(ids))
      await deliveries.updateMany({ _id: { $in: some } }, { $set: { decided_at: BigInt(to) } });
  },

  unfinished: (endpoint) => unfinishedOf(deliveries, endpoint),

  async cancelUnfinished(ids, reason, now) {
    let canceled = 0;
    for (const some of inSteps(ids)) canceled += await cancelAll(deliveries, some, reason, now);
    return canceled;
  },
});

const holdRetries = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
  now: string,
): Promise<number> => {
  const retries = { endpoint_id: endpoint, status: 'waiting', due_at: { $gt: now } } as const;
  await updateInSteps(deliveries, { ...retries, trigger: 'replay' }, { $unset: { due_at: '' } });
  return updateInSteps(
    deliveries,
    { ...retries, trigger: { $ne: 'replay' } },
    { $set: { status: 'held' }, $unset: { due_at: '' } },
  );
};

const unfinishedOf = async (
  deliveries: Collection<DeliveryDocument>,
  endpoint: EndpointId,
): Promise<readonly UnfinishedDelivery[]> => {
  const found = await Promise.all(
    (['waiting', 'held', 'sending'] as const).map((status) =>
      deliveries
        .find(
          { endpoint_id: endpoint, status, trigger: { $ne: 'test' } },
          { projection: { event_id: 1, position: 1, decided_at: 1 } },
        )
        .toArray(),
    ),
  );
  // a delivery that was claimed or released meanwhile is in two results
  const byId = found.flat().map(({ _id: id, event_id: eventId, position, decided_at }) => {
    const [at, decidedAt] = [position.toString() as Position, decided_at.toString() as Position];
    return [id, { id, eventId, position: at, decidedAt }] as const;
  });
  return [...new Map(byId).values()];
};

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
      { ...these, status: { $in: ['waiting', 'held'] } },
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
const endOf = (endedAt: string, next: AttemptResult['next']) => {
  switch (next.status) {
    case 'waiting':
      return { due_at: next.dueAt, waits_since: endedAt };
    case 'held':
      return {};
    case 'succeeded':
      return { finished_at: endedAt };
    case 'failed':
    case 'canceled':
      return { finished_at: endedAt, reason: next.reason };
  }
};
