import type { handleClientStreamingCall } from '@grpc/grpc-js';
import { status as codes } from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { Append, AppendResult, ExpectedRevision, ProposedRecord } from './append-check.js';
import { expectedOf, faultOf, maxAppendSize, proposedRecord, streamOf } from './append-request.js';
import type { Double } from '../double.js';
import { AppendResp, Empty } from '../protocol.js';
import { maxAppendSizeExceeded, rpcError, streamDeleted } from '../rpc-errors.js';

type AppendCall = handleClientStreamingCall<messages.AppendReq, messages.AppendResp>;
type Respond = Parameters<AppendCall>[1];

/**
 * Handles one append per call: each event is one message, and the response comes after the last.
 */
export const appendCall =
  ({ groups, refusal }: Double): AppendCall =>
  (call, respond) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return respond(refused);
    let target: Omit<Append, 'events'> | undefined;
    const events: ProposedRecord[] = [];
    call.on('data', (request: messages.AppendReq) => {
      const options = request.getOptions();
      if (options !== undefined)
        target = {
          stream: streamOf(options.getStreamIdentifier()),
          expected: expectedOf(options, options.getRevision()),
        };
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedRecord(message));
    });
    call.on('end', () => {
      if (target === undefined) return respond(rpcError(codes.INVALID_ARGUMENT, 'no options'));
      const append = { ...target, events };
      const fault = faultOf(events);
      if (fault === 'too_large') return respond(maxAppendSizeExceeded(maxAppendSize));
      if (fault !== undefined) return respond(rpcError(codes.INVALID_ARGUMENT, fault));
      groups.append(append, (result) => respondWith(append, result, respond));
    });
  };

const respondWith = (
  { stream, expected }: Append,
  result: AppendResult,
  respond: Respond,
): void => {
  switch (result.kind) {
    case 'appended':
    case 'repeated':
      return respond(null, new AppendResp().setSuccess(success(result.revision, result.position)));
    case 'wrong_expected_version':
      return respond(
        null,
        new AppendResp().setWrongExpectedVersion(wrongExpectedVersion(expected, result.actual)),
      );
    case 'stream_deleted':
      return respond(streamDeleted(stream));
    case 'timed_out':
      return respond(rpcError(codes.ABORTED, 'Operation timed out'));
    case 'invalid_transaction':
      return respond(
        rpcError(codes.INVALID_ARGUMENT, 'Invalid Transaction', {
          exception: 'invalid-transaction',
        }),
      );
  }
};

const success = (revision: number, position: number | undefined): messages.AppendResp.Success => {
  const message = new AppendResp.Success().setCurrentRevision(String(revision));
  return position === undefined
    ? message.setNoPosition(new Empty())
    : message.setPosition(
        new AppendResp.Position()
          .setCommitPosition(String(position))
          .setPreparePosition(String(position)),
      );
};

const wrongExpectedVersion = (
  expected: ExpectedRevision,
  actual: number,
): messages.AppendResp.WrongExpectedVersion => {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (actual < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new Empty());
  else if (expected < 0) wrong.setExpectedNoStream(new Empty());
  else wrong.setExpectedRevision(String(expected));
  return wrong;
};
