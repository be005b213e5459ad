import { DomainError } from '@refledger/contracts';
import type { SecretBox } from '@refledger/sealing';
import { canOpen } from '@refledger/webhook-endpoints';

/** Seals and opens the secrets of webhook endpoints. */
export class EndpointSecrets {
  constructor(private readonly box: SecretBox) {}

  seal(secret: string): string {
    return this.box.seal(secret);
  }

  /**
   * The sealed secret, or the current one if that is the same: sealing a secret again gives a
   * different string, which would look like a change.
   */
  sealUnlessCurrent(secret: string, current: string | undefined): string {
    const isCurrent =
      current !== undefined && canOpen(this.box, current) && this.box.open(current) === secret;
    return isCurrent ? current : this.box.seal(secret);
  }

  /** Throws `unavailable` if the service lacks the key that sealed it. */
  open(sealed: string): string {
    if (!canOpen(this.box, sealed))
      throw new DomainError(
        'unavailable',
        'The secret cannot be read, because the key that sealed it is missing. Restore the key (SECRETS_KEY or secrets.key), or rotate the secret with overlap 0s.',
      );
    return this.box.open(sealed);
  }
}
