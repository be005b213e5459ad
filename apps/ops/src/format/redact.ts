import type { LoggedEvent } from '@refledger/event-log';
import type { Change } from './changes.js';

/**
 * An event without values that must never be printed: sealed secrets, hashes of keys, salts. An
 * event of an unknown type loses every field with the name of a secret.
 */
export const redactedEvent = (event: LoggedEvent): LoggedEvent => {
  const names = secretsIn(event);
  return names.length === 0 ? event : { ...event, data: redacted(event.data, names) };
};

/**
 * An event's changes without values that must never be printed. They still show that a secret
 * changed.
 */
export const redactedChanges = (
  event: Pick<LoggedEvent, 'type'>,
  changes: readonly Change[],
): readonly Change[] => {
  const names = secretsIn(event);
  return changes.map((change) => {
    const shown = shownFor(change.field, names);
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
  shownFor(path, secretsOfProjection.get(projection) ?? []) ?? value;

const shownInstead = new Map([
  ['secret', '[sealed]'],
  ['hash', '[hash]'],
  ['salt', '[salt]'],
]);

const secretsOfProjection = new Map<string, readonly string[]>([
  ['webhook_endpoints', ['secret']],
  ['api_keys', ['hash']],
]);

/**
 * The secret fields of each kind of event. They differ by kind: a conversion's `metadata.secret` is
 * the client's own text.
 */
const secretsOf = new Map<string, readonly string[]>([
  ['webhook', ['secret']],
  ['key', ['hash']],
  ['account', ['salt']],
  ...['affiliate', 'conversion', 'claim', 'program', 'processor', 'log'].map(
    (kind) => [kind, []] as const,
  ),
]);

const secretsIn = ({ type }: Pick<LoggedEvent, 'type'>): readonly string[] =>
  secretsOf.get(type.split('.')[0] ?? '') ?? [...shownInstead.keys()];

const shownFor = (path: string, names: readonly string[]): string | undefined => {
  const secret = path.split('.').find((part) => names.includes(part));
  return secret === undefined ? undefined : shownInstead.get(secret);
};

const redacted = (value: unknown, names: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((member) => redacted(member, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      names.includes(name) ? shownInstead.get(name) : redacted(part, names),
    ]),
  );
};
