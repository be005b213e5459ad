import type { Collection, Document as Bson, Filter, IndexDescription } from 'mongodb';
import { deliveryIndexes, type DeliveryIndex, type DeliveryRange } from '../delivery-query.js';
import type { DeliverySummary } from '../delivery.js';
import { toSummary, workIndexes, type DeliveryDocument } from './delivery-document.js';

export const listIndexes: readonly IndexDescription[] = deliveryIndexes.map((index) => {
  const { name, by, order } = index;
  const those = onlyThose(index);
  return {
    name,
    key: Object.fromEntries([...by, order, '_id'].map((field) => [field, 1])),
    ...(Object.keys(those).length > 0 && { partialFilterExpression: those }),
  };
});

export const indexesOfDeliveries: readonly IndexDescription[] = [...workIndexes, ...listIndexes];

/** Reads the deliveries of a range. */
export const findRange = async (
  deliveries: Collection<DeliveryDocument>,
  range: DeliveryRange,
): Promise<readonly DeliverySummary[]> => {
  const { filter, options } = rangeCommand(range);
  return (await deliveries.find(filter, options).toArray()).map(toSummary);
};

/** The filter and the options that read a range of an index. */
export const rangeCommand = (range: DeliveryRange) => {
  const { index, equal, order, limit, from, until } = range;
  const conditions: readonly Bson[] = [
    ...equal.map(([field, value]) => ({ [field]: value })),
    ...(from === undefined ? [] : [{ [order.by]: { $gt: from } }]),
    ...(until === undefined ? [] : [{ [order.by]: { $lt: until } }]),
  ];
  const places = placesAfter(range);
  const direction = order.descending ? (-1 as const) : (1 as const);
  const filter: Filter<DeliveryDocument> =
    places === undefined
      ? { $and: [...conditions] }
      : // one branch per alternative, each with all conditions: only then is each a range of the index
        { $or: places.map((place) => ({ $and: [...conditions, ...place] })) };
  return {
    filter,
    options: {
      sort: { [order.by]: direction, _id: direction },
      hint: index.name,
      limit,
      batchSize: limit + 1,
      projection: { body: 0, attempts: 0 },
    },
  };
};

/** (a, b) after (x, y): a after x, or a equal to x and b after y. */
const placesAfter = ({ order, after }: DeliveryRange): readonly (readonly Bson[])[] | undefined => {
  if (after === undefined) return undefined;
  const [at, id] = after;
  const beyond = order.descending ? '$lt' : '$gt';
  return [[{ [order.by]: { [beyond]: at } }], [{ [order.by]: at }, { _id: { [beyond]: id } }]];
};

/** What a partial index holds. A query must imply it. */
function onlyThose({ order, only }: DeliveryIndex): Bson {
  return {
    ...(order === 'finished_at' && { finished_at: { $gt: '' } }),
    ...(only !== undefined && {
      [only.field]: 'equals' in only ? only.equals : { $gt: only.above },
    }),
  };
}
