import { toPosition, type Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import {
  PlaceNotFound,
  type BusBatch,
  type BusPlace,
  type ConsumeOptions,
  type EventBus,
  type PublishedRecord,
} from '../event-bus.js';
import { RecordMaker } from '../record-maker.js';

export interface LogBusOptions {
  /** Stays its owner's: closing the bus leaves it open. */
  readonly log: EventLog;
  /** States kept to make records from, one a stream. */
  readonly cacheSize?: number;
}

/** The event log itself as the bus: one partition, read in order. A place is the log's id, a position, and the event there. */
export const openLogBus = ({ log, ...options }: LogBusOptions): EventBus => {
  const ended = new AbortController();
  return {
    capabilities: { inLogOrder: true },

    async *consume({
      placeOf,
      signal,
      isSkipped,
      onAssigned,
      batchSize,
    }: ConsumeOptions): AsyncIterable<BusBatch> {
      const after = await goodPlace(log, await placeOf(partition));
      const maker = new RecordMaker({ log, ...options, ...(isSkipped && { isSkipped }) });
      onAssigned?.(partition);
      for await (const { events } of log.subscribe({
        after,
        signal: AbortSignal.any([signal, ended.signal]),
        ...(batchSize !== undefined && { batchSize }),
      })) {
        const { records, through, failure } = await published(maker, events);
        if (through !== undefined)
          yield { records, place: placeAt(log, through.position, through.id) };
        if (failure !== undefined) throw failure.error;
      }
    },

    async placesAt(position) {
      return [placeAt(log, position, (await log.eventAt(position))?.id)];
    },

    async end() {
      const head = await log.head();
      return head === undefined
        ? undefined
        : {
            position: head,
            lastRecord: head,
            places: [placeAt(log, head, (await log.eventAt(head))?.id)],
          };
    },

    close() {
      ended.abort();
      return Promise.resolve();
    },
  };
};

const partition = 'log';

/** The records of these events up to the first that can't be made one, so that those before it go out all the same. */
const published = async (
  maker: RecordMaker,
  events: readonly LoggedEvent[],
): Promise<{
  records: PublishedRecord[];
  through: LoggedEvent | undefined;
  failure?: { error: unknown };
}> => {
  const records: PublishedRecord[] = [];
  let through: LoggedEvent | undefined;
  for (const event of events) {
    try {
      const record = await maker.make(event);
      if (record !== undefined) records.push(record);
      through = event;
    } catch (error) {
      return { records, through, failure: { error } };
    }
  }
  return { records, through };
};

const placeAt = (log: EventLog, position: Position, mark: string | undefined): BusPlace => ({
  source: log.id,
  partition,
  offset: position,
  ...(mark !== undefined && { mark }),
});

/** The position of a place that is this log's; throws `PlaceNotFound` when it is of another log, of a restored backup or of a torn tail. */
const goodPlace = async (
  log: EventLog,
  place: BusPlace | undefined,
): Promise<Position | undefined> => {
  if (place === undefined) return undefined;
  if (place.source !== log.id)
    throw new PlaceNotFound(place, `the place is of log ${place.source}, this log is ${log.id}`);
  const position = toPosition(place.offset);
  if (position === undefined)
    throw new PlaceNotFound(place, `${JSON.stringify(place.offset)} is no position`);
  if (place.mark === undefined) return position;
  const event = await log.eventAt(position);
  if (event?.id !== place.mark)
    throw new PlaceNotFound(
      place,
      `the log has ${event === undefined ? 'no event' : 'another event'} at position ${position}, where event ${place.mark} was read`,
    );
  return position;
};
