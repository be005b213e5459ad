import type { ProcessorStop } from '@refledger/contracts';

type MaybeStop = ProcessorStop | null | undefined;

/** Whether two stops found the same recorded store, present store and checkpoint. */
export const isSameStop = (one: MaybeStop, other: MaybeStop): boolean =>
  !isNone(one) && !isNone(other) && keyOf(one) === keyOf(other);

const isNone = (stop: MaybeStop): stop is null | undefined => stop === null || stop === undefined;

const keyOf = ({ recorded_store, present_store, checkpoint }: ProcessorStop): string =>
  JSON.stringify([recorded_store, present_store, checkpoint]);
