import type { AggregateSpec } from '../shared/aggregate.js';
import { aggregates } from './aggregates.js';

/** Fields that must never be printed, each with the text shown instead. */
export type Secrets = Readonly<Record<string, string>>;

const specs: readonly AggregateSpec[] = Object.values(aggregates);

export const allSecrets: Secrets = Object.fromEntries(
  specs.flatMap(({ secrets = {} }) => Object.entries(secrets)),
);

/**
 * Returns the secrets of an event's type. They differ by aggregate: a conversion's
 * `metadata.secret` is the client's own text. An unknown type may hold any of them.
 */
export const secretsOf = (type: string): Secrets => {
  const aggregate = specs.find(({ events }) => Object.hasOwn(events, type));
  return aggregate === undefined ? allSecrets : (aggregate.secrets ?? {});
};
