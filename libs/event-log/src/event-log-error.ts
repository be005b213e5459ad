import type { StreamName } from '@refledger/contracts';

/** What an `EventLogError` means for the caller. */
export type EventLogErrorCause =
  /** The stream is not at the expected revision; nothing was written. */
  | {
      readonly kind: 'wrong_revision';
      readonly stream: StreamName;
      readonly expected: number | 'no stream';
      readonly actual: number | 'no stream';
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
 * people.
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

export const isEventLogError = <K extends EventLogErrorCause['kind']>(
  error: unknown,
  ...kinds: readonly K[]
): error is EventLogError & { fault: Extract<EventLogErrorCause, { kind: K }> } =>
  error instanceof EventLogError && (kinds as readonly string[]).includes(error.fault.kind);
