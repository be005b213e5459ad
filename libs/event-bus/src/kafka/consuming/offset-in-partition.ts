import { toPosition, type EventId, type Position } from '@refledger/contracts';
import { OffsetNotFound, type Offset } from '../../event-bus.js';

/**
 * The last handled record. It is stored as the mark of an offset, so that another topic of the same
 * name or another log is detected.
 */
export interface LastRecord {
  readonly offset: bigint;
  readonly position: Position;
  readonly eventId: EventId;
}

/** The offsets that a partition holds: from `low` to just before `high`. */
export interface Extent {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * Where reading starts. If `last` is set, the first message must be that record, which was handled
 * before.
 */
export interface PartitionStart {
  readonly offset: bigint;
  readonly last?: LastRecord;
}

/**
 * Makes the offset to store. `offset` is the last one handled, including the broker's own records
 * (commits, aborts).
 */
export const offsetInPartition = (
  source: string,
  partition: string,
  offset: bigint,
  last: LastRecord | undefined,
): Offset => ({
  source,
  partition,
  offset: String(offset),
  ...(last && { mark: `${last.offset} ${last.position} ${last.eventId}` }),
});

/**
 * Where reading starts for a stored offset. Throws `OffsetNotFound` if the partition can't continue
 * there.
 */
export const beginningOf = (
  offset: Offset | undefined,
  source: string,
  { low, high }: Extent,
): PartitionStart => {
  if (offset === undefined) return { offset: low };
  if (offset.source !== source)
    throw new OffsetNotFound(
      offset,
      `the offset in ${offset.partition} belongs to ${offset.source}, but the bus is ${source}`,
    );
  const last = lastOf(offset);
  if (!/^\d{1,19}$/.test(offset.offset) || last === 'unknown')
    throw new OffsetNotFound(offset, `the offset in ${offset.partition} is malformed`);
  const next = BigInt(offset.offset) + 1n;
  if (next > high)
    throw new OffsetNotFound(
      offset,
      `${offset.partition} ends before offset ${high}, but the checkpoint is offset ${offset.offset}: it is a different topic, or the topic has lost its end`,
    );
  if (next < low)
    throw new OffsetNotFound(
      offset,
      `${offset.partition} starts at offset ${low}, but the checkpoint is offset ${offset.offset}; the messages in between are gone`,
    );
  return last === undefined || last.offset < low ? { offset: next } : { offset: last.offset, last };
};

/** Decodes the mark of an offset: undefined without a mark, `unknown` if it is malformed. */
export const lastOf = ({ mark }: Offset): LastRecord | undefined | 'unknown' => {
  if (mark === undefined) return undefined;
  const [, offset = '', digits = '', eventId = ''] =
    /^(\d{1,19}) (\d{1,20}) ([0-9a-f-]{36})$/.exec(mark) ?? [];
  const position = toPosition(digits);
  return position === undefined ? 'unknown' : { offset: BigInt(offset), position, eventId };
};
