import type { Collection } from 'mongodb';
import { insertNew } from '@refledger/mongodb';
import type { OperatorStore } from '../delivery-store.js';
import type { PlannerStore } from '../planner-store.js';
import { toDocument, type DeliveryDocument } from './delivery-document.js';
import type { StoreState } from './store-state.js';

/** The methods of the store for the planner: offsets in the bus, the floor, and plans. */
export const planning = (
  deliveries: Collection<DeliveryDocument>,
  state: StoreState,
): PlannerStore & Pick<OperatorStore, 'resetOffsets'> => ({
  offsets: () => state.offsets(),
  offset: async (partition) =>
    (await state.offsets()).find((offset) => offset.partition === partition),
  floor: () => state.floor(),
  resetOffsets: (all, floor) => state.reset(all, floor),

  /**
   * Inserts the deliveries that are new, and then raises offset and floor. After a crash in
   * between, the offset is behind: the batch is planned again, which inserts nothing, and the
   * deliveries that the dead planner left sending are recovered once its lease has run out.
   */
  async plan({ deliveries: planned, offset, floor }, lease) {
    await state.checkSource(offset);
    const there = new Set<string>();
    const documents = planned.map((delivery, n) => toDocument(delivery, n, lease));
    for (let from = 0; from < documents.length; from += step)
      for (const { _id } of await insertNew(deliveries, documents.slice(from, from + step)))
        there.add(_id);
    await state.raise(offset, floor);
    return planned.flatMap(({ id }) => (there.has(id) ? [] : [id]));
  },
});

/** Documents per request. */
const step = 1_000;
