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
