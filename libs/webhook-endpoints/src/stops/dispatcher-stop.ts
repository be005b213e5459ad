import type { ProcessorStop } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import type { Offset } from '@refledger/event-bus';

/** A delivery store: its id, and its offsets in the bus. */
export interface StoreAsFound {
  /** Undefined if there is no store. */
  readonly id: string | undefined;
  readonly offsets: readonly Offset[];
}

type RecordedStore = Pick<ProcessorState, 'store_id'>;

/** The stop at a store that is not the recorded one. */
export const stopAtStore = ({ store_id }: RecordedStore, store: StoreAsFound): ProcessorStop => ({
  recorded_store: store_id ?? null,
  present_store: store.id ?? null,
  checkpoint: store.offsets.map(entryOf),
});

/** The stop at an offset of one partition, which the bus doesn't have. */
export const stopAtPartition = (
  { store_id }: RecordedStore,
  store: StoreAsFound,
  partition: string,
): ProcessorStop => ({
  recorded_store: store_id ?? null,
  present_store: store.id ?? null,
  checkpoint: [entryAt(partition, store.offsets)],
});

/** The partitions whose offsets a stop names. */
export const partitionsOf = (stop: ProcessorStop | null | undefined): readonly string[] =>
  (stop?.checkpoint ?? []).map(partitionOf);

/**
 * Whether a stop still describes the store. All dispatchers of a store stop for the same reason, at
 * different partitions, and each of them may carry out the decision about it. A store that was
 * missing when an operator decided has been created since: it is a new one, without offsets.
 */
export const isCurrentStop = (
  stop: ProcessorStop | null | undefined,
  { store_id }: RecordedStore,
  { id, offsets }: StoreAsFound,
): boolean => {
  if (stop === null || stop === undefined) return false;
  const { recorded_store, present_store, checkpoint } = stop;
  if (recorded_store !== (store_id ?? null)) return false;
  if (present_store === null) return offsets.length === 0 && id !== recorded_store;
  return (
    present_store === id &&
    checkpoint.every((entry) => entry === entryAt(partitionOf(entry), offsets))
  );
};

const entryAt = (partition: string, offsets: readonly Offset[]): string => {
  const offset = offsets.find((one) => one.partition === partition);
  return offset === undefined ? `${partition} none` : entryOf(offset);
};

const entryOf = ({ partition, source, offset, mark }: Offset): string =>
  [partition, source, offset, ...(mark === undefined ? [] : [mark])].join(' ');

/** Names of partitions have no spaces. */
const partitionOf = (entry: string): string => entry.split(' ', 1).join('');
