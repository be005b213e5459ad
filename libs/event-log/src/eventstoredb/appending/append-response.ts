import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '@refledger/contracts';
import { EventLogError, type EventLogErrorCause } from '../../event-log-error.js';
import type { ExpectedRevision } from '../../event-log.js';
import { knownPosition } from '../reading/recorded-event.js';

const { MaximumAppendSizeExceeded, WrongExpectedVersion } = sharedPb;

export type AppendResponse =
  | {
      readonly kind: 'appended';
      readonly revision: number;
      readonly position: Position | undefined;
    }
  | { readonly kind: 'wrong_revision'; readonly actual: ExpectedRevision }
  /**
   * The server does not say what the conflict is, so the caller must read the stream. Seen for an
   * append whose first events are a repeat and whose later events are not.
   */
  | { readonly kind: 'unknown' };

/** The append that a response is about. */
interface SentAppend {
  readonly bytes: number;
  readonly hosts: string;
}

/**
 * Reads a response; throws an `EventLogError` for a refusal. `sent` describes the append that it
 * answers.
 */
export const readResponse = (response: BatchAppendResp, sent: SentAppend): AppendResponse => {
  const success = response.getSuccess();
  return success === undefined ? readError(response.getError(), sent) : readSuccess(success);
};

const readSuccess = (success: BatchAppendResp.Success): AppendResponse => {
  const commit = success.getPosition()?.getCommitPosition();
  return {
    kind: 'appended',
    revision: Number(success.getCurrentRevision()),
    position: knownPosition(commit === undefined ? undefined : BigInt(commit)),
  };
};

/** A `google.rpc.Status`. */
type Status = ReturnType<BatchAppendResp['getError']>;

const readError = (error: Status, { bytes, hosts }: SentAppend): AppendResponse => {
  const refuse = (fault: EventLogErrorCause, words: string): never => {
    throw new EventLogError(fault, `EventStoreDB at ${hosts} ${words}`);
  };
  switch (detailsType(error).replace('event_store.client.', '')) {
    case 'WrongExpectedVersion':
      return { kind: 'wrong_revision', actual: actualRevision(error) };
    case 'Unknown':
    case 'InvalidTransaction':
      return { kind: 'unknown' };
    case 'Timeout':
      return refuse(
        { kind: 'unknown_outcome' },
        'did not confirm in time that it wrote the append',
      );
    case 'MaximumAppendSizeExceeded': {
      const limit = appendSizeLimit(error);
      return refuse(
        { kind: 'too_large', bytes, limit },
        `accepts at most ${limit} bytes per append, but this one has ${bytes}`,
      );
    }
    case 'StreamDeleted':
      return refuse(
        { kind: 'unusable' },
        'reports that this stream was deleted permanently, which Refledger never does. Restore a backup.',
      );
    case 'AccessDenied':
      return refuse(
        { kind: 'unusable' },
        'does not allow this user to append. Correct the user in EVENT_LOG_URL, or its permissions.',
      );
    // unless it says INTERNAL, the server did not accept the request: it is starting, busy, or
    // between two leaders
    case 'google.protobuf.Empty':
      return Number(error?.getCode()) === internal
        ? refuse({ kind: 'unknown_outcome' }, `reports: ${error?.getMessage()}`)
        : refuse({ kind: 'unavailable' }, `reports: ${error?.getMessage()}`);
    case 'BadRequest':
      return refuse({ kind: 'unusable' }, `rejected an append: ${error?.getMessage()}`);
    default:
      return refuse(
        { kind: 'unknown_outcome' },
        `sent a response that this release does not know: ${error?.getMessage()}`,
      );
  }
};

const detailsType = (error: Status): string => error?.getDetails()?.getTypeName() ?? '';

const actualRevision = (error: Status): ExpectedRevision => {
  const wrong = error
    ?.getDetails()
    ?.unpack((bytes) => WrongExpectedVersion.deserializeBinary(bytes), detailsType(error));
  return wrong?.hasCurrentStreamRevision() === true
    ? Number(wrong.getCurrentStreamRevision())
    : 'no stream';
};

const appendSizeLimit = (error: Status): number =>
  error
    ?.getDetails()
    ?.unpack((bytes) => MaximumAppendSizeExceeded.deserializeBinary(bytes), detailsType(error))
    ?.getMaxappendsize() ?? 0;

/** google.rpc.Code.INTERNAL */
const internal = 13;
