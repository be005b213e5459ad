import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { EventLogError } from '../../event-log-error.js';
import { readResponse } from './append-response.js';

/** A response with an error, packed as a server packs it. */
const failed = (
  code: number,
  name: string,
  details: { serializeBinary(): Uint8Array },
  message = name,
) => {
  const status = statusPb.Status.deserializeBinary(Uint8Array.of(0x1a, 0))
    .setCode(code)
    .setMessage(message);
  status
    .getDetails()
    ?.pack(
      details.serializeBinary(),
      name === 'Empty' ? 'google.protobuf.Empty' : `event_store.client.${name}`,
    );
  return new streamsPb.BatchAppendResp().setError(status);
};
const about = { bytes: 7, hosts: 'somewhere:2113' };
const faultOf = (response: InstanceType<typeof streamsPb.BatchAppendResp>): unknown => {
  try {
    return readResponse(response, about);
  } catch (error) {
    return error instanceof EventLogError ? error.fault : error;
  }
};
const {
  AccessDenied,
  BadRequest,
  Empty,
  InvalidTransaction,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} = sharedPb;

// The errors and codes are from the server's own source (Status.cs, Streams.BatchAppend.cs).
it.each([
  [
    'was written, or repeated',
    new streamsPb.BatchAppendResp().setSuccess(
      new streamsPb.BatchAppendResp.Success()
        .setCurrentRevision('3')
        .setPosition(new sharedPb.AllStreamPosition().setCommitPosition('12345678901234567890')),
    ),
    { kind: 'appended', revision: 3, position: '12345678901234567890' },
  ],
  [
    'repeats an append whose stream is gone',
    new streamsPb.BatchAppendResp().setSuccess(
      new streamsPb.BatchAppendResp.Success().setCurrentRevision('3'),
    ),
    { kind: 'appended', revision: 3, position: undefined },
  ],
  [
    'repeats an append whose stream is gone, as other versions report it',
    new streamsPb.BatchAppendResp().setSuccess(
      new streamsPb.BatchAppendResp.Success()
        .setCurrentRevision('3')
        .setPosition(new sharedPb.AllStreamPosition().setCommitPosition('18446744073709551615')),
    ),
    { kind: 'appended', revision: 3, position: undefined },
  ],
  [
    'conflicts',
    failed(6, 'WrongExpectedVersion', new WrongExpectedVersion().setCurrentStreamRevision('4')),
    { kind: 'wrong_revision', actual: 4 },
  ],
  [
    'conflicts with a stream that does not exist',
    failed(6, 'WrongExpectedVersion', new WrongExpectedVersion()),
    { kind: 'wrong_revision', actual: 'no stream' },
  ],
  ['starts as a repeat', failed(2, 'Unknown', new Unknown()), { kind: 'unknown' }],
  [
    'starts as a repeat, as other versions report it',
    failed(9, 'InvalidTransaction', new InvalidTransaction()),
    { kind: 'unknown' },
  ],
  ['timed out', failed(4, 'Timeout', new Timeout()), { kind: 'unknown_outcome' }],
  [
    'is too large',
    failed(3, 'MaximumAppendSizeExceeded', new MaximumAppendSizeExceeded().setMaxappendsize(5)),
    { kind: 'too_large', bytes: 7, limit: 5 },
  ],
  ['is to a deleted stream', failed(5, 'StreamDeleted', new StreamDeleted()), { kind: 'unusable' }],
  ['is not allowed', failed(7, 'AccessDenied', new AccessDenied()), { kind: 'unusable' }],
  ['is refused', failed(3, 'BadRequest', new BadRequest()), { kind: 'unusable' }],
  [
    'came while the server was starting',
    failed(0, 'Empty', new Empty(), 'Server Is Not Ready'),
    { kind: 'unavailable' },
  ],
  [
    'came while there was no leader',
    failed(0, 'Empty', new Empty(), 'No leader info available in response'),
    { kind: 'unavailable' },
  ],
  [
    'caused an internal error of the server',
    failed(13, 'Empty', new Empty(), 'Envelope callback expected'),
    { kind: 'unknown_outcome' },
  ],
  ['got an unknown error', failed(2, 'Invented', new Empty()), { kind: 'unknown_outcome' }],
])('an append that %s', (_name, response, expected) => {
  expect(faultOf(response)).toEqual(expected);
});
