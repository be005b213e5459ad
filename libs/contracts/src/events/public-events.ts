import { keysOf } from '../keys-of.js';
import type { PublicAggregateSpec } from '../shared/aggregate.js';
import {
  publicAggregates,
  type PublicAggregateKind,
  type PublicRecord,
} from '../aggregates/public-aggregates.js';
import type { PublicEventType } from '../event-types/public-event-types.js';
import type { z } from 'zod';

/*
 * The aggregate, record and topic of a public event, by its type. It is kept out of
 * `public-event-types.ts`, which the aggregates import.
 */

const aggregateOfKind: ReadonlyMap<string, PublicAggregateKind> = new Map(
  keysOf(publicAggregates).flatMap((aggregate) =>
    publicAggregates[aggregate].kinds.map((kind: PublicEventType) => [kind, aggregate] as const),
  ),
);
/** Returns the aggregate of a public event; undefined when this release has no record for it. */
export const publicAggregateOf = (type: string): PublicAggregateKind | undefined =>
  aggregateOfKind.get(type);

/** Returns the id of the record that a public event is about. */
export const objectIdOf = (kind: PublicEventType, data: object): string => {
  const field = idFieldOf.get(kind);
  const id: unknown = field === undefined ? undefined : Reflect.get(data, field);
  if (typeof id !== 'string') throw new TypeError(`the event ${kind} names no record`);
  return id;
};

/**
 * The field of a public event's data that holds the id of its record. Where several records share a
 * stream, it is the field of the member; otherwise it is named after the last part of the stream's
 * name.
 */
const idFieldOf: ReadonlyMap<PublicEventType, string> = new Map(
  Object.values(publicAggregates).flatMap(({ kinds, stream, members }: PublicAggregateSpec) => {
    const [member] = Object.values(members ?? {});
    const field = member ?? `${stream.at(-1)}_id`;
    return kinds.map((kind) => [kind as PublicEventType, field] as const);
  }),
);

/** Returns the `object` of the record of a public event. */
export const recordObjectOf = (type: PublicEventType): PublicRecord['object'] | undefined => {
  const aggregate = publicAggregateOf(type);
  return aggregate && publicAggregates[aggregate].record.shape.object.value;
};

/** The topic of each kind of public event, after the prefix of all topics. */
export const topics: ReadonlyMap<PublicEventType, string> = new Map(
  Object.values(publicAggregates).flatMap(({ kinds, topic }) =>
    kinds.map((kind: PublicEventType) => [kind, topic] as const),
  ),
);

/** Returns an example of the record that events of this kind are about, as the API documents it. */
export const exampleRecordOf = (kind: PublicEventType): PublicRecord => {
  const aggregate = publicAggregateOf(kind);
  if (aggregate === undefined) throw new Error(`no record has events of the kind ${kind}`);
  const { record }: { readonly record: z.ZodType<PublicRecord> } = publicAggregates[aggregate];
  return record.parse(record.meta()?.['example']);
};
