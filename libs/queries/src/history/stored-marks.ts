import type { Consistency, Marks } from '@refledger/application';
import { MinuteIndex, minuteIndexProjection } from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import { undefinedIfUnreadable } from '../read-models.js';

/** The minute index of the read store. */
export const storedMarks = (
  store: ReadStore,
  consistency: Pick<Consistency, 'logId' | 'settleAtHead'>,
): Marks => {
  const marks = new MinuteIndex(store, consistency.logId);
  return {
    startOf: (instant) => marks.startOf(instant).catch(undefinedIfUnreadable),
    settle: (reader) => consistency.settleAtHead(minuteIndexProjection, reader),
  };
};
