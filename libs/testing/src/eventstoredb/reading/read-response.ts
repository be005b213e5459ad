import type { ServerWritableStream } from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import { deletedRevision } from '../appending/append-check.js';
import { ReadResp, StreamIdentifier, UUID } from '../protocol.js';
import type { StoredRecord } from '../sqlite/double-store.js';

export type ReadCall = ServerWritableStream<messages.ReadReq, messages.ReadResp>;

/** How many records are read from the store at a time. */
export const pageSize = 100;

export const eventOf = (record: StoredRecord): messages.ReadResp => {
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(record.id))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(record.stream)))
    .setStreamRevision(
      record.revision === deletedRevision ? '9223372036854775807' : String(record.revision),
    )
    .setCommitPosition(String(record.position))
    .setPreparePosition(String(record.position))
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  recorded
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', `${record.created}0000`);
  return new ReadResp().setEvent(
    new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(record.position)),
  );
};

export const streamNotFound = (stream: string): messages.ReadResp =>
  new ReadResp().setStreamNotFound(
    new ReadResp.StreamNotFound().setStreamIdentifier(
      new StreamIdentifier().setStreamName(Buffer.from(stream)),
    ),
  );

export const confirmation = (): messages.ReadResp =>
  new ReadResp().setConfirmation(
    new ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID()),
  );

export const checkpoint = (position: number): messages.ReadResp =>
  new ReadResp().setCheckpoint(
    new ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );

export const caughtUp = (): messages.ReadResp =>
  new ReadResp().setCaughtUp(new ReadResp.CaughtUp());

/** Sends a message. Resolves when there is room for more, or the call is over. */
export const send = async (
  call: ReadCall,
  message: messages.ReadResp,
  signal?: AbortSignal,
): Promise<void> => {
  if (call.cancelled || signal?.aborted === true || call.write(message)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'canceled', 'close', 'error'] as const) call.off(event, done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    for (const event of ['drain', 'canceled', 'close', 'error'] as const) call.once(event, done);
    signal?.addEventListener('abort', done);
  });
};
