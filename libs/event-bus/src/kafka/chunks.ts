import type { EventId } from '@refledger/contracts';
import type { UnreadableEvent } from '@refledger/event-log';
import type { KafkaMessage } from 'kafkajs';
import type { PublishedRecord } from '../event-bus.js';
import { readMessage } from './message.js';
import type { LastRecord } from './offset-in-partition.js';

/** Some messages in order, read. */
export interface Chunk {
  readonly records: readonly PublishedRecord[];
  /** The last record in it. */
  readonly last: LastRecord | undefined;
  /** Of its last message; undefined when it has none. */
  readonly offset: string | undefined;
  readonly foreign: readonly { readonly message: KafkaMessage; readonly reason: string }[];
  readonly otherLogs: readonly string[];
  /** Stands right after it, and nothing gets past it. */
  readonly unreadable: UnreadableEvent | undefined;
}

export interface Reading {
  readonly logId: string;
  readonly isSkipped: (eventId: EventId) => boolean;
  /** Most messages of a portion. */
  readonly size: number;
}

/** The messages of a batch in portions; the last one ends before what can't be read. */
export function* chunksOf(
  messages: readonly KafkaMessage[],
  { logId, isSkipped, size }: Reading,
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

const emptyChunk = () => ({
  records: [] as PublishedRecord[],
  last: undefined as LastRecord | undefined,
  offset: undefined as string | undefined,
  foreign: [] as Chunk['foreign'][number][],
  otherLogs: [] as string[],
  unreadable: undefined,
});
