import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { DeliveryId, EventKind, PublicEventId } from '@refledger/contracts';

/** One attempt of a delivery, as far as its headers tell of it. */
export interface SignedAttempt {
  readonly keys: SigningKeys;
  readonly eventId: PublicEventId;
  readonly type: EventKind;
  readonly deliveryId: DeliveryId;
  /** What is sent, byte for byte (as UTF-8). */
  readonly body: string;
  /** The instant of this attempt: each attempt is signed anew. */
  readonly at: Date;
  /** Of this service, for `User-Agent`. */
  readonly version: string;
}

/** The two keys that a secret gives. Made once for many attempts. */
export interface SigningKeys {
  readonly plain: KeyObject;
  readonly standard: KeyObject;
}

/**
 * The keys of an endpoint's secret, exactly as it was shown.
 *
 * The key of the plain signature is the secret's characters. That of Standard Webhooks is what its libraries make of the secret:
 * after `whsec_` the decoded base64, else the secret's own bytes. A client's own secret that begins with `whsec_` is read in the
 * same way when canonical base64 follows, and is taken by its bytes, prefix included, when something else does.
 */
export const signingKeys = (secret: string): SigningKeys => ({
  plain: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(standardKey(secret)),
});

/** Every header of an attempt: the plain signature, those of Standard Webhooks (standardwebhooks.com), and what names the delivery. */
export function deliveryHeaders({
  keys,
  eventId,
  type,
  deliveryId,
  body,
  at,
  version,
}: SignedAttempt): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Refledger/${version}`,
    'X-Service-Signature': createHmac('sha256', keys.plain).update(body).digest('hex'),
    'X-Service-Event': type,
    'X-Service-Delivery': deliveryId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', keys.standard).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`,
  };
}

/** A secret for an endpoint whose client brought none: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

const prefix = 'whsec_';

function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const decoded = Buffer.from(encoded, 'base64');
  return encoded !== '' && decoded.toString('base64') === encoded ? decoded : Buffer.from(secret);
}
