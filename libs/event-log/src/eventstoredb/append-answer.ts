import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '@refledger/contracts';
import { EventLogError, type EventLogErrorCause } from '../event-log-error.js';
import type { Expected } from '../event-log.js';
import { knownPosition } from './recorded-event.js';

const { MaximumAppendSizeExceeded, WrongExpectedVersion } = sharedPb;

/** The server's answer to one append. */
export type AppendAnswer =
  | {
      readonly kind: 'appended';
      readonly revision: number;
      readonly position: Position | undefined;
    }
  | { readonly kind: 'wrong_revision'; readonly actual: Expected }
  /**
   * The server does not say what the conflict is, so the caller must read the stream. Seen for an
   * append whose first events are a repeat and whose later events are not.
   */
  | { readonly kind: 'unknown' };

/** The append that an answer is about. */
interface SentAppend {
  readonly bytes: number;
  readonly hosts: string;
}

/**
 * Reads an answer; throws an `EventLogError` for a refusal. `sent` describes the append that it
 * answers.
 */
export const readAnswer = (response: BatchAppendResp, sent: SentAppend): AppendAnswer => {
  const success = response.getSuccess();
  return success === undefined ? readError(response.getError(), sent) : readSuccess(success);
};

const readSuccess = (success: BatchAppendResp.Success): AppendAnswer => {
  const commit = success.getPosition()?.getCommitPosition();
  return {
    kind: 'appended',
    revision: Number(success.getCurrentRevision()),
    position: knownPosition(commit === undefined ? undefined : BigInt(commit)),
  };
};

/** A `google.rpc.Status`. */
type Status = ReturnType<BatchAppendResp['getError']>;

const readError = (error: Status, { bytes, hosts }: SentAppend): AppendAnswer => {
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
        'did not write it in time, or does not know whether it did',
      );
    case 'MaximumAppendSizeExceeded': {
      const limit = appendSizeLimit(error);
      return refuse(
        { kind: 'too_large', bytes, limit },
        `takes at most ${limit} bytes in one append, and this one has ${bytes}`,
      );
    }
    case 'StreamDeleted':
      return refuse(
        { kind: 'unusable' },
        'says that this stream was deleted for good, so that nothing can ever be appended to it: nothing of ours does that',
      );
    case 'AccessDenied':
      return refuse(
        { kind: 'unusable' },
        'does not let this user append: mend the user in EVENT_LOG_URL, or what it may do',
      );
    // unless it says INTERNAL, the server did not take up the request: it is starting, busy, or
    // between two leaders
    case 'google.protobuf.Empty':
      return Number(error?.getCode()) === internal
        ? refuse({ kind: 'unknown_outcome' }, `says: ${error?.getMessage()}`)
        : refuse({ kind: 'unavailable' }, `says: ${error?.getMessage()}`);
    case 'BadRequest':
      return refuse({ kind: 'unusable' }, `refuses an append: ${error?.getMessage()}`);
    default:
      return refuse(
        { kind: 'unknown_outcome' },
        `says what this release does not understand: ${error?.getMessage()}`,
      );
  }
};

const detailsType = (error: Status): string => error?.getDetails()?.getTypeName() ?? '';

const actualRevision = (error: Status): Expected => {
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
