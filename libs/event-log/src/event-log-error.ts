import type { StreamName } from '@refledger/contracts';
import type { ExpectedRevision } from './event-log.js';

/** The meaning of an `EventLogError` for the caller. */
export type EventLogErrorCause =
  /** The stream is not at the expected revision; nothing was written. */
  | {
      readonly kind: 'wrong_revision';
      readonly stream: StreamName;
      readonly expected: ExpectedRevision;
      readonly actual: ExpectedRevision;
    }
  /** The append is larger than 1 MiB in total; nothing was written. */
  | { readonly kind: 'too_large'; readonly bytes: number; readonly limit: number }
  /** The log can't be reached or written now; nothing was written. */
  | { readonly kind: 'unavailable' }
  /** The append may or may not have been written. Repeat the identical append to find out. */
  | { readonly kind: 'unknown_outcome' }
  /**
   * The log can't be used as it is: corrupt, not a Refledger log, from a newer release, not
   * readable or not writable.
   */
  | { readonly kind: 'unusable' };

/**
 * Every failure of an event log. `fault` says what it means for the caller; the message is for
 * human readers.
 */
export class EventLogError extends Error {
  constructor(
    readonly fault: EventLogErrorCause,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EventLogError';
  }
}

export const unavailable = (message: string, options?: ErrorOptions): EventLogError =>
  new EventLogError({ kind: 'unavailable' }, message, options);
export const unknownOutcome = (message: string, options?: ErrorOptions): EventLogError =>
  new EventLogError({ kind: 'unknown_outcome' }, message, options);
export const unusable = (message: string, options?: ErrorOptions): EventLogError =>
  new EventLogError({ kind: 'unusable' }, message, options);

/** The error for a stream that is not at the revision that an append expects. */
export const wrongRevision = (
  stream: StreamName,
  expected: ExpectedRevision,
  actual: ExpectedRevision,
): EventLogError =>
  new EventLogError(
    { kind: 'wrong_revision', stream, expected, actual },
    `${stream} is at ${described(actual)}, but ${described(expected)} was expected`,
  );

/** Whether an error is an `EventLogError` of one of these kinds. */
export const isEventLogError = <K extends EventLogErrorCause['kind']>(
  error: unknown,
  ...kinds: readonly K[]
): error is EventLogError & { fault: Extract<EventLogErrorCause, { kind: K }> } =>
  error instanceof EventLogError && kinds.some((kind) => kind === error.fault.kind);

const described = (revision: ExpectedRevision): string =>
  revision === 'no stream' ? 'no revision' : `revision ${revision}`;
