import { randomUUID } from 'node:crypto';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq as BatchAppendRequest } from '@eventstore/db-client/generated/streams_pb.js';
import type { EncodedAppend } from '../encode-append.js';

const { BatchAppendReq } = streamsPb;
const { Empty, StreamIdentifier, UUID } = sharedPb;

/** One append as one message of a batch stream: 1 MiB at most, so it never needs to be cut. */
export interface AppendRequest {
  /** Comes back with the answer. */
  readonly correlationId: string;
  readonly message: BatchAppendRequest;
}

/** `deadline`, in milliseconds since the epoch, is when the server gives up on it. */
export const appendRequest = ({ stream, expected, events }: EncodedAppend, deadline: number): AppendRequest => {
  const correlationId = randomUUID();
  const options = emptyOptions();
  options.setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(stream)));
  options.getDeadline()?.setSeconds(Math.floor(deadline / 1_000)).setNanos((deadline % 1_000) * 1_000_000);
  if (expected === 'no stream') options.setNoStream(new Empty());
  else options.setStreamPosition(String(expected));
  const message = new BatchAppendReq().setCorrelationId(new UUID().setString(correlationId)).setOptions(options).setIsFinal(true);
  for (const { id, type, data, metadata } of events) {
    const proposed = new BatchAppendReq.ProposedMessage().setId(new UUID().setString(id)).setData(Buffer.from(data)).setCustomMetadata(Buffer.from(metadata));
    proposed.getMetadataMap().set('type', type).set('content-type', 'application/json');
    message.addProposedMessages(proposed);
  }
  return { correlationId, message };
};

/** Options with a deadline of zero: the class of a timestamp belongs to a library of the client's own, and comes with its messages only. */
const emptyOptions = () => BatchAppendReq.Options.deserializeBinary(Uint8Array.of(0x32, 0x00));
