import type { Consistency, Marks } from '@refledger/application';
import { MinuteMarks, minuteMarksProjection } from '@refledger/projections';
import { ReadModelUnreadable, type ReadStore } from '@refledger/read-store';

/** The minute marks of the read store. */
export const storedMarks = (
  store: ReadStore,
  consistency: Pick<Consistency, 'logId' | 'settleAtHead'>,
): Marks => {
  const marks = new MinuteMarks(store, consistency.logId);
  return {
    startOf: (instant) => marks.startOf(instant).catch(undefinedIfUnreadable),
    settle: (reader) => consistency.settleAtHead(minuteMarksProjection, reader),
  };
};

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ReadModelUnreadable)) throw error;
};
