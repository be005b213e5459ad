import { keysOf } from '../aggregates/aggregate.js';
import { publicAggregates, type PublicAggregateKind } from '../aggregates/public-aggregates.js';

const carried = Object.values(publicAggregates);

/** The kinds of public events. Webhooks and the event bus carry these kinds and no others. */
export const eventKinds = carried.flatMap(({ kinds }): readonly EventKind[] => kinds);
/** The kind of a public event, such as `conversion.approved`. */
export type EventKind = (typeof carried)[number]['kinds'][number];

const known: ReadonlySet<string> = new Set(eventKinds);
/** Whether an event type is public. */
export const isEventKind = (type: string): type is EventKind => known.has(type);

const aggregateOfKind: ReadonlyMap<string, PublicAggregateKind> = new Map(
  keysOf(publicAggregates).flatMap((aggregate) =>
    publicAggregates[aggregate].kinds.map((kind: EventKind) => [kind, aggregate] as const),
  ),
);
/** Returns the aggregate of a public event; undefined when this release has no record for it. */
export const publicAggregateOf = (type: string): PublicAggregateKind | undefined =>
  aggregateOfKind.get(type);

/** The topic of each kind of public event, after the prefix of all topics. */
export const topics: ReadonlyMap<EventKind, string> = new Map(
  carried.flatMap(({ kinds, topic }) => kinds.map((kind: EventKind) => [kind, topic] as const)),
);
