import { SqliteError } from '@refledger/sqlite';
import { EventLogError, type EventLogErrorCause } from '../event-log-error.js';

/** The parts of an `EventLogError` that can be sent to another thread. */
export interface Failure {
  readonly fault: EventLogErrorCause;
  readonly message: string;
}

/**
 * Translates a database error for users of the log. Undefined for any other error, which is a
 * programming error.
 */
export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof EventLogError) return { fault: error.fault, message: error.message };
  if (error instanceof SqliteError) return { fault: faultOf(error), message: messageOf(error) };
  return undefined;
};

const messageOf = ({ message, fault }: SqliteError): string =>
  fault === 'corrupt'
    ? `${message}. Restore the data directory from a backup: nothing else can replace this file.`
    : message;

export const errorOf = ({ fault, message }: Failure, options?: ErrorOptions): EventLogError =>
  new EventLogError(fault, message, options);

/** The `EventLogError` for a database error; any other error is returned as it is. */
export const asEventLogError = (error: unknown): unknown => {
  const failure = failureOf(error);
  return failure === undefined ? error : errorOf(failure, { cause: error });
};

const faultOf = (error: SqliteError): EventLogErrorCause => {
  if (error.maybeWritten) return { kind: 'unknown_outcome' };
  const mayPass = error.isTransient || error.fault === 'absent';
  return { kind: mayPass ? 'unavailable' : 'unusable' };
};
