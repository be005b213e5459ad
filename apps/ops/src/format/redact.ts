import { aggregates, secretsOf, type Secrets } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { Change } from './changes.js';

/**
 * An event without values that must never be printed: sealed secrets and personal values, hashes
 * of keys. An event of an unknown type loses every field with the name of a secret.
 */
export const redactedEvent = (event: LoggedEvent): LoggedEvent => {
  const secrets = secretsOf(event.type);
  return Object.keys(secrets).length === 0
    ? event
    : { ...event, data: redacted(event.data, secrets) };
};

/**
 * An event's changes without values that must never be printed. They still show that a secret
 * changed.
 */
export const redactedChanges = (
  event: Pick<LoggedEvent, 'type'>,
  changes: readonly Change[],
): readonly Change[] => {
  const secrets = secretsOf(event.type);
  return changes.map((change) => {
    const shown = shownFor(change.field, secrets);
    if (shown === undefined) return change;
    return {
      field: change.field,
      ...('before' in change && { before: shown }),
      ...('after' in change && { after: shown }),
    };
  });
};

/** A value of a read model's document, without secrets. */
export const redactedLeaf = (projection: string, path: string, value: unknown): unknown =>
  shownFor(path, secretsOfProjection.get(projection) ?? {}) ?? value;

const secretsOfProjection = new Map<string, Secrets>([
  ['affiliates', aggregates.affiliate.secrets],
  ['affiliate_search', { ...aggregates.affiliate.secrets, terms: '[hash]' }],
  ['webhook_endpoints', aggregates.webhooks.secrets],
  ['api_keys', aggregates.keys.secrets],
]);

const shownFor = (path: string, secrets: Secrets): string | undefined => {
  const secret = path.split('.').find((part) => Object.hasOwn(secrets, part));
  return secret === undefined ? undefined : secrets[secret];
};

const redacted = (value: unknown, secrets: Secrets): unknown => {
  if (Array.isArray(value)) return value.map((member) => redacted(member, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      Object.hasOwn(secrets, name) ? secrets[name] : redacted(part, secrets),
    ]),
  );
};
