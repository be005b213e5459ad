import { toPosition, type Checkpoint, type LogId } from '@refledger/contracts';
import type { KafkaMessage, Message } from 'kafkajs';
import type { BusEnd } from '../../event-bus.js';
import type { PublishedCheckpoint } from '../../publication.js';
import type { KafkaAdmin } from '../kafka-admin.js';
import type { Topics } from '../topics.js';

/** The content of the checkpoint topic up to some offset. */
export interface CheckpointsRead {
  readonly storeId: string | undefined;
  readonly checkpoint: PublishedCheckpoint | undefined;
}

/**
 * The checkpoint topic, as far as it was read. It is compacted, so it keeps the last message of
 * each key.
 */
export class CheckpointTopic {
  /** The offset of the next message. */
  next = '0';
  private storeId: string | undefined;
  private checkpoint: PublishedCheckpoint | undefined;
  private readonly awaited = new Map<string, (read: CheckpointsRead) => void>();

  apply({ key, value, offset }: Pick<KafkaMessage, 'key' | 'value' | 'offset'>): void {
    this.next = String(BigInt(offset) + 1n);
    const text = String(value);
    switch (String(key)) {
      case keys.store:
        return void (this.storeId = text);
      case keys.checkpoint:
        return void (this.checkpoint = decode(text));
      case keys.marker: {
        this.awaited.get(text)?.({ storeId: this.storeId, checkpoint: this.checkpoint });
        this.awaited.delete(text);
      }
    }
  }

  /** Resolves with the content before a marker. Rejects when the signal aborts. */
  upTo(marker: string, signal: AbortSignal): Promise<CheckpointsRead> {
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.awaited.delete(marker);
        reject(
          signal.reason instanceof Error
            ? signal.reason
            : new Error('the relay no longer publishes'),
        );
      };
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      this.awaited.set(marker, (read) => {
        signal.removeEventListener('abort', give);
        resolve(read);
      });
    });
  }
}

export const storeMessage = (storeId: string): Message => ({ key: keys.store, value: storeId });
/** A marker: everything before it in the topic is final once it is committed. */
export const markerMessage = (marker: string): Message => ({ key: keys.marker, value: marker });
export const checkpointMessage = ({
  logId,
  position,
  eventId,
  lastRecord,
}: PublishedCheckpoint): Message => ({
  key: keys.checkpoint,
  value: JSON.stringify({ log_id: logId, position, event_id: eventId, last_record: lastRecord }),
});

/**
 * Encodes the relay's checkpoint as a note in its consumer group, where a consumer finds it without
 * reading a topic. The relay notes it after the fact, so the note may be slightly out of date.
 */
export const noteOf = (checkpoint: PublishedCheckpoint): string =>
  String(checkpointMessage(checkpoint).value);

/**
 * How far the relay of this log has got according to its note; undefined without a note of this
 * log.
 */
export const publishedUpTo = async (
  admin: KafkaAdmin,
  { relayGroup, checkpoints }: Topics,
  logId: LogId,
): Promise<Omit<BusEnd, 'offsets'> | undefined> => {
  const [noted] = await admin.request((asked) =>
    asked.fetchOffsets({ groupId: relayGroup, topics: [checkpoints] }),
  );
  const note = noted?.partitions[0]?.metadata;
  if (!note) return undefined;
  const { logId: messagesOf, position, lastRecord } = decode(note);
  return messagesOf === logId ? { position, lastRecord } : undefined;
};

/** Decodes a checkpoint of the topic or of the relay's note, which has the same form. */
const decode = (text: string): PublishedCheckpoint => {
  const {
    log_id: logId,
    position,
    event_id: eventId,
    last_record: lastRecord,
  } = JSON.parse(text) as Record<string, string | undefined>;
  const [at, last] = [toPosition(position ?? ''), toPosition(lastRecord ?? '')];
  if (logId === undefined || eventId === undefined || at === undefined)
    throw new Error(`the checkpoint topic holds an invalid checkpoint: ${text.slice(0, 200)}`);
  return {
    logId,
    position: at,
    eventId,
    ...(last !== undefined && { lastRecord: last }),
  } satisfies Checkpoint;
};

const keys = { store: 'store', marker: 'marker', checkpoint: 'checkpoint' } as const;
