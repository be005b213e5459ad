import type { DeliveryId, EndpointId } from '@refledger/contracts';
import { duplicateKey, ignoring } from '@refledger/mongodb';
import type { Collection, Filter } from 'mongodb';
import type { AnsweredKey, RedeliveryKey } from '../redelivery-key.js';
import type { DeliveryDocument } from './delivery-document.js';

/**
 * Makes a delivery due, if it waits for a later time, and adds the key of the request to it: the
 * key and its effect are one change of one document, and a unique index keeps other deliveries from
 * being answered to the same key. Resolves to the endpoint if the delivery was made due, to null if
 * it was not but has not ended, and to undefined if there was no effect.
 */
export const makeDue = async (
  deliveries: Collection<DeliveryDocument>,
  { id, now, key }: { id: DeliveryId; now: string; key: RedeliveryKey | undefined },
): Promise<EndpointId | null | undefined> => {
  const open: Filter<DeliveryDocument> = {
    _id: id,
    finished_at: { $exists: false },
    ...(key !== undefined && { 'keys.id': { $ne: key.id } }),
  };
  // an attempt may begin or end between two of these steps
  for (;;) {
    const changed =
      (await makeWaitingDue(deliveries, open, { now, key })) ??
      (await keepKey(deliveries, open, { now, key }));
    if (changed !== undefined) return changed === 'reused' ? undefined : changed.endpoint;
    if ((await deliveries.findOne(open, { projection: { _id: 1 } })) === null) return undefined;
  }
};

/** What a step has changed; `reused`: another delivery has the key. */
type Change = { readonly endpoint: EndpointId | null } | 'reused' | undefined;

interface Making {
  readonly now: string;
  readonly key: RedeliveryKey | undefined;
}

const makeWaitingDue = async (
  deliveries: Collection<DeliveryDocument>,
  open: Filter<DeliveryDocument>,
  { now, key }: Making,
): Promise<Change> => {
  const due = { $set: { due_at: now, waits_since: now }, ...(key && { $push: { keys: key } }) };
  const found = await deliveries
    .findOneAndUpdate({ ...open, ...waitingAfter(now) }, due, { projection: { endpoint_id: 1 } })
    .catch(ignoring(duplicateKey));
  if (found === undefined) return 'reused';
  return found === null ? undefined : { endpoint: found.endpoint_id };
};

/** Adds the key to a delivery that does not wait for a later time. */
const keepKey = async (
  deliveries: Collection<DeliveryDocument>,
  open: Filter<DeliveryDocument>,
  { now, key }: Making,
): Promise<Change> => {
  const others = { ...open, $nor: [waitingAfter(now)] };
  if (key === undefined)
    return (await deliveries.countDocuments(others, { limit: 1 })) > 0
      ? { endpoint: null }
      : undefined;
  const kept = await deliveries
    .updateOne(others, { $push: { keys: key } })
    .catch(ignoring(duplicateKey));
  if (kept === undefined) return 'reused';
  return kept.matchedCount > 0 ? { endpoint: null } : undefined;
};

const waitingAfter = (now: string): Filter<DeliveryDocument> => ({
  status: 'waiting',
  trigger: { $ne: 'test' },
  $or: [{ due_at: { $gt: now } }, { due_at: { $exists: false } }],
});

/** The key of this id; undefined if it was not used. */
export const answeredKey = async (
  deliveries: Collection<DeliveryDocument>,
  id: DeliveryId,
): Promise<AnsweredKey | undefined> => {
  const found = await deliveries.findOne({ 'keys.id': id }, { projection: { keys: 1 } });
  return found === null ? undefined : keysOf(found).find((key) => key.id === id);
};

/** The keys of requests that were answered with one of these deliveries. */
export const answeredKeys = async (
  deliveries: Collection<DeliveryDocument>,
  answered: readonly DeliveryId[],
): Promise<readonly AnsweredKey[]> => {
  const found = deliveries.find(
    { _id: { $in: [...answered] }, keys: { $exists: true } },
    { projection: { keys: 1 } },
  );
  return (await found.toArray()).flatMap(keysOf);
};

const keysOf = ({
  _id: answered,
  keys = [],
}: Pick<DeliveryDocument, '_id' | 'keys'>): readonly AnsweredKey[] =>
  keys.map(({ id, original }) => ({ id, original, answered }));
