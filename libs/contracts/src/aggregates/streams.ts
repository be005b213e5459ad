import type { Id, IdKind } from '../ids/ids.js';
import { streamPrefix, type StreamName } from '../ids/stream-name.js';
import { keysOf } from '../keys-of.js';
import { type StreamPart } from '../shared/aggregate.js';
import { aggregates, type AggregateKind } from './aggregates.js';

type Part<P extends StreamPart> = P extends IdKind ? Id<P> : string;
type Parts<P extends readonly StreamPart[]> = { readonly [I in keyof P]: Part<P[I]> };
type StreamNames = {
  readonly [K in Exclude<AggregateKind, 'log'>]: (
    ...parts: Parts<(typeof aggregates)[K]['stream']>
  ) => StreamName;
};

/** Returns the name of an aggregate's stream; without parts, the prefix of all its streams. */
export const streamNamed = (kind: AggregateKind, parts: readonly string[] = []): StreamName =>
  `${streamPrefix}${kind}-${parts.join('-')}`;

/** The names of the streams, by aggregate. Those that start with `all` are prefixes. */
export const streams = {
  // the compiler cannot tell that every kind is a key
  ...(Object.fromEntries(
    keysOf(aggregates).map((kind) => [
      kind,
      (...parts: readonly string[]): StreamName => streamNamed(kind, parts),
    ]),
  ) as StreamNames),
  log: `${streamPrefix}log` satisfies StreamName,
  allAffiliates: streamNamed('affiliate'),
  allKeys: streamNamed('keys'),
  allWebhooks: streamNamed('webhooks'),
} as const;
