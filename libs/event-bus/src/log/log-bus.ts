import { toPosition, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
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
  if (offset.source !== log.id)
    throw new OffsetNotFound(
      offset,
      `the offset belongs to log ${offset.source}, but this log is ${log.id}`,
    );
  const position = toPosition(offset.offset);
  if (position === undefined)
    throw new OffsetNotFound(offset, `${JSON.stringify(offset.offset)} is not a position`);
  if (offset.mark === undefined) return position;
  const event = await log.eventAt(position);
  if (event?.id !== offset.mark)
    throw new OffsetNotFound(
      offset,
      `the log has ${event === undefined ? 'no event' : 'a different event'} at position ${position}, where event ${offset.mark} was read`,
    );
  return position;
};
