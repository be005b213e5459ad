import type { EventId } from '@refledger/contracts';
import type { UnreadableEvent } from '@refledger/event-log';
import type { KafkaMessage } from 'kafkajs';
import type { PublishedRecord } from '../../event-bus.js';
import { readMessage } from '../message.js';
import type { LastRecord } from './offset-in-partition.js';

/** Several consecutive messages, decoded. */
export interface Chunk {
  readonly records: readonly PublishedRecord[];
  readonly last: LastRecord | undefined;
  /** The offset of the last message; undefined if the chunk has none. */
  readonly offset: string | undefined;
  readonly foreign: readonly { readonly message: KafkaMessage; readonly reason: string }[];
  readonly otherLogs: readonly string[];
  /** The unreadable message right after the chunk; reading can't continue past it. */
  readonly unreadable: UnreadableEvent | undefined;
}

/** How to read a batch: the log that its records must belong to, and the events to skip. */
export interface ChunkOptions {
  readonly logId: string;
  readonly isSkipped: (eventId: EventId) => boolean;
  /** The maximum number of messages per chunk. */
  readonly size: number;
}

/** Splits the messages of a batch into chunks. The last chunk ends before an unreadable message. */
export function* chunksOf(
  messages: readonly KafkaMessage[],
  { logId, isSkipped, size }: ChunkOptions,
): Generator<Chunk> {
  let chunk = emptyChunk();
  let count = 0;
  for (const message of messages) {
    if (count === size) {
      yield chunk;
      chunk = emptyChunk();
      count = 0;
    }
    const meant = readMessage(message, logId);
    switch (meant.kind) {
      case 'record':
        if (!isSkipped(meant.record.eventId)) chunk.records.push(meant.record);
        chunk.last = {
          offset: BigInt(message.offset),
          position: meant.record.position,
          eventId: meant.record.eventId,
        };
        break;
      case 'unreadable':
        if (isSkipped(meant.error.event.id)) break;
        yield { ...chunk, unreadable: meant.error };
        return;
      case 'of another log':
        chunk.otherLogs.push(meant.logId);
        break;
      case 'foreign':
        chunk.foreign.push({ message, reason: meant.reason });
    }
    chunk.offset = message.offset;
    count++;
  }
  yield chunk;
}

/** A chunk that is being filled. */
type Draft = {
  -readonly [Key in keyof Chunk]: Chunk[Key] extends readonly (infer Each)[] ? Each[] : Chunk[Key];
};

const emptyChunk = (): Draft => ({
  records: [],
  last: undefined,
  offset: undefined,
  foreign: [],
  otherLogs: [],
  unreadable: undefined,
});
