import { toPosition, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import {
  OffsetNotFound,
  type BusBatch,
  type Offset,
  type ConsumeOptions,
  type EventBus,
} from '../event-bus.js';
import { RecordMaker } from '../record-maker.js';

export interface LogBusOptions {
  /** The log to read. Closing the bus leaves it open. */
  readonly log: EventLog;
  /** Opens the personal values in records. */
  readonly personalData: Pick<PersonalData, 'openRecords'>;
  /** The number of stream states cached to make records from. */
  readonly cacheSize?: number;
}

/**
 * The event log itself as the bus: one partition, read in order. An offset consists of the log's
 * id, a position, and the id of the event there.
 */
export const openLogBus = ({ log, ...options }: LogBusOptions): EventBus => {
  const ended = new AbortController();
  const offsetsAt = async (position: Position): Promise<readonly Offset[]> => [
    offsetAt(log, position, (await log.eventAt(position))?.id),
  ];
  return {
    capabilities: { inLogOrder: true },

    async *consume({
      offsetOf,
      signal,
      isSkipped,
      onAssigned,
      batchSize,
    }: ConsumeOptions): AsyncIterable<BusBatch> {
      const after = await validPosition(log, await offsetOf(partition));
      const maker = new RecordMaker({ log, ...options, ...(isSkipped && { isSkipped }) });
      onAssigned?.(partition);
      for await (const { events } of log.subscribe({
        after,
        signal: AbortSignal.any([signal, ended.signal]),
        ...(batchSize !== undefined && { batchSize }),
      })) {
        const { records, through, failure } = await maker.makeAll(events);
        if (through !== undefined)
          yield { records, offset: offsetAt(log, through.position, through.id) };
        if (failure !== undefined) throw failure.error;
      }
    },

    offsetsAt,

    async end() {
      const head = await log.head();
      return head === undefined
        ? undefined
        : { position: head, lastRecord: head, offsets: await offsetsAt(head) };
    },

    close() {
      ended.abort();
      return Promise.resolve();
    },
  };
};

const partition = 'log';

const offsetAt = (log: EventLog, position: Position, mark: string | undefined): Offset => ({
  source: log.id,
  partition,
  offset: position,
  ...(mark !== undefined && { mark }),
});

/**
 * The position of an offset of this log. Throws `OffsetNotFound` for another log, a restored backup
 * or a torn tail.
 */
const validPosition = async (
  log: EventLog,
  offset: Offset | undefined,
): Promise<Position | undefined> => {
  if (offset === undefined) return undefined;
  const fault = await offsetFault(log, offset);
  if (fault !== undefined) throw new OffsetNotFound(offset, fault);
  return toPosition(offset.offset);
};

/** Why a log doesn't have an offset; undefined if it has. */
export const offsetFault = async (
  log: Pick<EventLog, 'id' | 'eventAt'>,
  { source, offset, mark }: Offset,
): Promise<string | undefined> => {
  if (source !== log.id) return `the offset belongs to log ${source}, but this log is ${log.id}`;
  const position = toPosition(offset);
  if (position === undefined) return `${JSON.stringify(offset)} is not a position`;
  if (mark === undefined) return undefined;
  const event = await log.eventAt(position);
  return event?.id === mark
    ? undefined
    : `the log has ${event === undefined ? 'no event' : 'a different event'} at position ${position}, where event ${mark} was read`;
};
