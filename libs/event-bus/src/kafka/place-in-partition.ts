import type { EventId, Position } from '@refledger/contracts';
import { toPosition } from '@refledger/contracts';
import { PlaceNotFound, type BusPlace } from '../event-bus.js';

/** The last record dealt with, kept as the mark of a place: by it another topic of the same name, or another log, shows. */
export interface LastRecord {
  readonly offset: bigint;
  readonly position: Position;
  readonly eventId: EventId;
}

/** What the broker has of a partition: from `low` on, up to before `high`. */
export interface Extent {
  readonly low: bigint;
  readonly high: bigint;
}

/** Where reading begins. With `last`, the first message must be that record, which was dealt with before. */
export interface Beginning {
  readonly offset: bigint;
  readonly last?: LastRecord;
}

/** `offset` is the last one dealt with, records of the broker's own (commits, aborts) included. */
export const placeInPartition = (
  source: string,
  partition: string,
  offset: bigint,
  last: LastRecord | undefined,
): BusPlace => ({
  source,
  partition,
  offset: String(offset),
  ...(last && { mark: `${last.offset} ${last.position} ${last.eventId}` }),
});

/** Where to begin for a place. Throws `PlaceNotFound` where the partition has nothing to go on from. */
export const beginningOf = (
  place: BusPlace | undefined,
  source: string,
  { low, high }: Extent,
): Beginning => {
  if (place === undefined) return { offset: low };
  if (place.source !== source)
    throw new PlaceNotFound(
      place,
      `the place in ${place.partition} is of ${place.source}, this is ${source}`,
    );
  const last = lastOf(place);
  if (!/^\d{1,19}$/.test(place.offset) || last === 'unknown')
    throw new PlaceNotFound(place, `the place in ${place.partition} is none of this bus`);
  const next = BigInt(place.offset) + 1n;
  if (next > high)
    throw new PlaceNotFound(
      place,
      `${place.partition} ends before offset ${high}, the place is ${place.offset}: the topic is another one, or has lost its end`,
    );
  if (next < low)
    throw new PlaceNotFound(
      place,
      `${place.partition} begins at offset ${low}, the place is ${place.offset}: what stood between is gone`,
    );
  return last === undefined || last.offset < low ? { offset: next } : { offset: last.offset, last };
};

export const lastOf = ({ mark }: BusPlace): LastRecord | undefined | 'unknown' => {
  if (mark === undefined) return undefined;
  const [, offset = '', digits = '', eventId = ''] =
    /^(\d{1,19}) (\d{1,20}) ([0-9a-f-]{36})$/.exec(mark) ?? [];
  const position = toPosition(digits);
  return position === undefined ? 'unknown' : { offset: BigInt(offset), position, eventId };
};
