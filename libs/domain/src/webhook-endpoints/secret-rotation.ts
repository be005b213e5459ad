import { DomainError, toInstant } from '@refledger/contracts';
import type { EndpointId, PreviousSecret, WebhookEndpointsEvent } from '@refledger/contracts';
import { touched, type EventMeta } from '../decider.js';
import { beforeOf, previousStillSigning, type Endpoint } from './endpoint.js';

/** Gives an endpoint a new secret. */
export interface RotateCommand {
  readonly type: 'rotate';
  readonly endpoint_id: EndpointId;
  /** Sealed. Pass the stored one if the secret is the same. */
  readonly secret: string;
  /** How long the previous secret still signs. 0: every previous secret ends immediately. */
  readonly overlap_ms: number;
  /** The instant of the decision (RFC 3339). */
  readonly now: string;
}

/** The events of a rotation: none if the secret is the same, unless that ends an overlap. */
export const rotate = (
  endpoint: Endpoint,
  { endpoint_id, secret, overlap_ms, now }: RotateCommand,
): WebhookEndpointsEvent[] => {
  const { previous, fields } = endpoint;
  const isSecretNew = secret !== fields.secret;
  const endsOverlap = overlap_ms === 0 && previousStillSigning(previous, now) !== null;
  if (!isSecretNew && !endsOverlap) return [];
  if (overlap_ms > 0) refuseDuringOverlap(endpoint, now);
  const signs_until = toInstant(Date.parse(now) + overlap_ms);
  const data = {
    endpoint_id,
    before: beforeOf(endpoint),
    secret,
    previous: overlap_ms > 0 ? { secret: fields.secret, signs_until } : null,
  };
  return [{ type: 'webhook.secret_rotated', data }];
};

/**
 * The event of a new secret that replaces the present one immediately. Throws
 * `rotation_in_progress` while an previous secret still signs.
 */
export const replaceSecret = (
  endpoint: Endpoint,
  secret: string,
  now: string,
): WebhookEndpointsEvent[] => {
  refuseDuringOverlap(endpoint, now);
  return rotate(endpoint, {
    type: 'rotate',
    endpoint_id: endpoint.id,
    secret,
    overlap_ms: 0,
    now,
  });
};

const refuseDuringOverlap = ({ id, previous }: Endpoint, now: string): void => {
  const signing = previousStillSigning(previous, now);
  if (signing === null) return;
  throw new DomainError(
    'rotation_in_progress',
    `The previous secret of ${id} remains valid until ${signing.signs_until}. Wait until then, or rotate with overlap 0s.`,
  );
};

export const withSecret = (
  endpoint: Endpoint,
  { secret, previous }: { secret: string; previous: PreviousSecret | null },
  at: EventMeta,
): Endpoint => ({
  ...endpoint,
  fields: { ...endpoint.fields, secret },
  previous,
  ...touched(at),
});
