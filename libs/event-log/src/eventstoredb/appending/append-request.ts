import { randomUUID } from 'node:crypto';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq as BatchAppendRequest } from '@eventstore/db-client/generated/streams_pb.js';
import type { EncodedAppend } from '../../encode-append.js';

const { BatchAppendReq } = streamsPb;
const { Empty, StreamIdentifier, UUID } = sharedPb;

/**
 * One append as one message of a batch stream. It is at most 1 MiB, so it never needs to be split.
 */
export interface AppendRequest {
  /** The server's response has the same id. */
  readonly correlationId: string;
  readonly message: BatchAppendRequest;
}

/** An append as it is sent; its stream need not be one of Refledger's. */
type AppendToSend = Pick<EncodedAppend, 'expected' | 'events'> & { readonly stream: string };

/**
 * Makes a request without a deadline. A deadline would be a time on this machine's clock, and a
 * server whose clock is a few seconds ahead would refuse everything. The server's own limit and the
 * caller's timer apply instead.
 */
export const appendRequest = ({ stream, expected, events }: AppendToSend): AppendRequest => {
  const correlationId = randomUUID();
  const options = new BatchAppendReq.Options().setStreamIdentifier(
    new StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  if (expected === 'no stream') options.setNoStream(new Empty());
  else options.setStreamPosition(String(expected));
  const message = new BatchAppendReq()
    .setCorrelationId(new UUID().setString(correlationId))
    .setOptions(options)
    .setIsFinal(true);
  for (const { id, type, data, metadata } of events) {
    const proposed = new BatchAppendReq.ProposedMessage()
      .setId(new UUID().setString(id))
      .setData(Buffer.from(data))
      .setCustomMetadata(Buffer.from(metadata));
    proposed.getMetadataMap().set('type', type).set('content-type', 'application/json');
    message.addProposedMessages(proposed);
  }
  return { correlationId, message };
};
