/**
 * A sealed value that can't be opened. The message never contains any part of what was sealed, the
 * sealed value or a key, except the id of a key of `SECRETS_KEY`.
 */
export class SealedUnreadable extends Error {
  constructor(what: 'sealed secret' | 'wrapped key' | 'sealed value', detail: string) {
    super(`a ${what} cannot be opened: ${detail}`);
    this.name = 'SealedUnreadable';
  }
}
