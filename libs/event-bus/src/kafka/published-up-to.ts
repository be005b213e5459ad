import type { LogId, Position } from '@refledger/contracts';
import { checkpointMessage, decode } from './checkpoint-topic.js';
import type { KafkaAdmin } from './kafka-admin.js';
import type { PublishedCheckpoint } from '../publication.js';
import type { Topics } from './topics.js';

/**
 * Encodes the relay's checkpoint as a note in its consumer group, where a consumer finds it without
 * reading a topic. The relay notes it after the fact, so the note may be somewhat old.
 */
export const noteOf = (checkpoint: PublishedCheckpoint): string =>
  String(checkpointMessage(checkpoint).value);

/**
 * How far the relay of this log has come according to its note; undefined without a note of this
 * log.
 */
export const publishedUpTo = async (
  admin: KafkaAdmin,
  { relayGroup, checkpoints }: Topics,
  logId: LogId,
): Promise<
  { readonly position: Position; readonly lastRecord: Position | undefined } | undefined
> => {
  const [noted] = await admin.ask((asked) =>
    asked.fetchOffsets({ groupId: relayGroup, topics: [checkpoints] }),
  );
  const note = noted?.partitions[0]?.metadata;
  if (!note) return undefined;
  const { logId: of, position, lastRecord } = decode(note);
  return of === logId ? { position, lastRecord } : undefined;
};
