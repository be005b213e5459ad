import { status as codes } from '@grpc/grpc-js';
import type { WrongExpectedVersion as WrongExpectedVersionMessage } from '@eventstore/db-client/generated/shared_pb.js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { Append, AppendResult, ExpectedRevision } from './append-check.js';
import { maxAppendSize } from './append-request.js';
import {
  AllStreamPosition,
  BadRequest,
  BatchAppendResp,
  Empty,
  MaximumAppendSizeExceeded,
  Status,
  StreamDeleted,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} from '../protocol.js';

/** Fills in why the records cannot be appended: a fault from `faultOf`. */
export const fillFault = (response: messages.BatchAppendResp, fault: string): void => {
  response.setError(
    fault === 'too_large'
      ? errorOf(
          codes.INVALID_ARGUMENT,
          'MaximumAppendSizeExceeded',
          new MaximumAppendSizeExceeded().setMaxappendsize(maxAppendSize),
        )
      : errorOf(codes.INVALID_ARGUMENT, 'BadRequest', new BadRequest().setMessage(fault)),
  );
};

export const fillTimeout = (response: messages.BatchAppendResp): void => {
  response.setError(errorOf(codes.DEADLINE_EXCEEDED, 'Timeout', new Timeout()));
};

/** Fills in the outcome of an append. */
export const fillResult = (
  response: messages.BatchAppendResp,
  { expected }: Append,
  result: AppendResult,
): void => {
  switch (result.kind) {
    case 'appended':
    case 'repeated':
      return void response.setSuccess(success(result.revision, result.position));
    case 'wrong_expected_version':
      return void response.setError(
        errorOf(
          codes.ALREADY_EXISTS,
          'WrongExpectedVersion',
          wrongExpectedVersion(expected, result.actual),
        ),
      );
    case 'stream_deleted':
      return void response.setError(
        errorOf(
          codes.NOT_FOUND,
          'StreamDeleted',
          new StreamDeleted().setStreamIdentifier(response.getStreamIdentifier()),
        ),
      );
    case 'timed_out':
      return fillTimeout(response);
    // the server has no error of its own for this outcome in a batch
    case 'invalid_transaction':
      return void response.setError(errorOf(codes.UNKNOWN, 'Unknown', new Unknown()));
  }
};

const success = (
  revision: number,
  position: number | undefined,
): messages.BatchAppendResp.Success => {
  const message = new BatchAppendResp.Success().setCurrentRevision(String(revision));
  return position === undefined
    ? message.setNoPosition(new Empty())
    : message.setPosition(
        new AllStreamPosition()
          .setCommitPosition(String(position))
          .setPreparePosition(String(position)),
      );
};

const wrongExpectedVersion = (
  expected: ExpectedRevision,
  actual: number,
): WrongExpectedVersionMessage => {
  const wrong = new WrongExpectedVersion();
  if (actual < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentStreamRevision(String(actual));
  if (typeof expected === 'string') wrong.setExpectedAny(new Empty());
  else if (expected < 0) wrong.setExpectedNoStream(new Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  return wrong;
};

const errorOf = (
  code: number,
  name: string,
  details: { serializeBinary(): Uint8Array },
): InstanceType<typeof Status> => {
  // Any is a class of protobuf's own library; parsing a status with empty details creates one
  const status = Status.deserializeBinary(Uint8Array.of(0x1a, 0));
  status.getDetails()?.pack(details.serializeBinary(), `event_store.client.${name}`);
  return status.setCode(code).setMessage(name);
};
