import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { DeliveryId, PublicEventType, PublicEventId } from '@refledger/contracts';

/** What signs an attempt. */
export interface SigningSecrets {
  readonly keys: SigningKeys;
  /** The keys of the secret before a rotation, while that secret still signs. */
  readonly previous?: SigningKeys | undefined;
}

/** The parts of an attempt that its headers depend on. */
export interface SignedAttempt extends SigningSecrets {
  readonly eventId: PublicEventId;
  readonly type: PublicEventType;
  readonly deliveryId: DeliveryId;
  /** The exact body that is sent, as UTF-8. */
  readonly body: string;
  /** The revision of the record, if it has one. */
  readonly revision: number | undefined;
  /** The time of this attempt. Each attempt is signed separately. */
  readonly at: Date;
  /** The version of the service, for `User-Agent`. */
  readonly version: string;
}

/** The two signing keys derived from a secret. Derived once, and used for many attempts. */
export interface SigningKeys {
  readonly plain: KeyObject;
  readonly standard: KeyObject;
}

/**
 * Derives an endpoint's signing keys from its secret, taken exactly as it was shown.
 *
 * The key of the plain signature is the secret's characters. The key for Standard Webhooks follows
 * its libraries: the decoded base64 after `whsec_`, or else the bytes of the secret. A secret that
 * a client chose and that begins with `whsec_` is decoded too if canonical base64 follows;
 * otherwise its bytes are used, including the prefix.
 */
export const signingKeys = (secret: string): SigningKeys => ({
  plain: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(standardKey(secret)),
});

/**
 * All headers of an attempt: the plain signature, the headers of Standard Webhooks
 * (standardwebhooks.com), and those that identify the delivery. While two secrets sign,
 * `webhook-signature` has both signatures, the new one first. The plain signature has room for one:
 * it is that of the earlier secret, so that a receiver that knows only this one does not fail.
 */
export function deliveryHeaders({
  keys,
  previous,
  eventId,
  type,
  deliveryId,
  body,
  revision,
  at,
  version,
}: SignedAttempt): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${eventId}.${timestamp}.${body}`;
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Refledger/${version}`,
    'X-Service-Signature': createHmac('sha256', (previous ?? keys).plain)
      .update(body)
      .digest('hex'),
    'X-Service-Event': type,
    'X-Service-Delivery': deliveryId,
    ...(revision !== undefined && { 'X-Service-Revision': String(revision) }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': (previous === undefined ? [keys] : [keys, previous])
      .map(({ standard }) => `v1,${createHmac('sha256', standard).update(signed).digest('base64')}`)
      .join(' '),
  };
}

/**
 * A new secret, for an endpoint whose client chose none: `whsec_` and 32 random bytes in base64.
 */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

const prefix = 'whsec_';

function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const decoded = Buffer.from(encoded, 'base64');
  return encoded !== '' && decoded.toString('base64') === encoded ? decoded : Buffer.from(secret);
}
