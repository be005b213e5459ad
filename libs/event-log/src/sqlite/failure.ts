import { SqliteError } from '@refledger/sqlite';
import { EventLogError, type EventLogErrorCause } from '../event-log-error.js';

/** A fault that can be sent from one thread to another. */
export interface Failure {
  readonly fault: EventLogErrorCause;
  readonly message: string;
}

/** What an error of the database means to users of the log. Errors of other origin are mistakes of the program: undefined. */
export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof EventLogError) return { fault: error.fault, message: error.message };
  if (error instanceof SqliteError) return { fault: faultOf(error), message: error.message };
  return undefined;
};

export const errorOf = ({ fault, message }: Failure, options?: ErrorOptions): EventLogError =>
  new EventLogError(fault, message, options);

/** The error to throw in place of this one. */
export const asEventLogError = (error: unknown): unknown => {
  const failure = failureOf(error);
  return failure === undefined ? error : errorOf(failure, { cause: error });
};

const faultOf = (error: SqliteError): EventLogErrorCause => {
  if (error.maybeWritten) return { kind: 'unknown_outcome' };
  switch (error.fault) {
    case 'busy':
    case 'full':
    case 'io':
    case 'absent':
    case 'closed':
      return { kind: 'unavailable' };
    case 'read_only':
    case 'cannot_open':
    case 'corrupt':
    case 'foreign':
    case 'newer':
    case 'older':
    case 'too_big':
    case 'constraint':
    case 'other':
      return { kind: 'unusable' };
  }
};
