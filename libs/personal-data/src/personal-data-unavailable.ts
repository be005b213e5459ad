import { DomainError } from '@refledger/contracts';

/**
 * Personal data does not open now: the key store lacks a key, or the key does not open. The message
 * names its owner, so that nobody takes it for an erasure, and holds no personal value.
 */
export class PersonalDataUnavailable extends DomainError {
  override readonly name = 'PersonalDataUnavailable';

  constructor(detail: string) {
    super('unavailable', detail, {}, { cause: new Error(detail) });
  }
}

/** Whether an error says that a key is missing, or that something does not open. */
export const isPersonalDataUnavailable = (error: unknown): error is Error =>
  // test doubles cannot make the class
  error instanceof Error && error.name === 'PersonalDataUnavailable';
