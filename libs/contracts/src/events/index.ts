import type { z } from 'zod';
import {
  aggregates,
  type AggregateKind,
  type EventInputOf,
  type EventOf,
} from '../aggregates/aggregates.js';
import type { AggregateSpec } from '../shared/aggregate.js';
import type { AccountId } from '../ids/ids.js';
import type { Position } from '../ids/position.js';
import type { StreamName } from '../ids/stream-name.js';
import type { EventMetadata } from '../shared/event-metadata.js';

/** An event of any aggregate, to be recorded. A field with a default may be absent. */
export type DomainEvent = { [A in AggregateKind]: EventInputOf<A> }[AggregateKind];
export type EventType = DomainEvent['type'];
/** The events of these aggregates. */
export type EventIn<A extends AggregateKind> = Extract<
  { [K in AggregateKind]: EventOf<K> }[AggregateKind],
  { readonly type: { [K in A]: EventOf<K>['type'] }[A] }
>;

const specs: Readonly<Record<string, AggregateSpec>> = aggregates;

/** The schema of the data of every event in the log, by type. */
export const eventSchemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.values(specs).flatMap(({ events }) => Object.entries(events)),
);

/** Whether this release knows an event type. */
export const isEventType = (type: string): type is EventType => eventSchemas.has(type);

/** Whether an event belongs to an aggregate of this kind. */
export const isEventOf = <A extends AggregateKind>(
  kind: A,
  event: RecordedEvent,
): event is RecordedEvent & EventOf<A> => Object.hasOwn(aggregates[kind].events, event.type);

/** The account that an event belongs to. Throws for an event that belongs to none. */
export const accountOf = ({
  type,
  metadata,
}: Pick<RecordedEvent, 'type' | 'metadata'>): AccountId => {
  if (metadata.account_id === null) throw new TypeError(`the event ${type} has no account_id`);
  return metadata.account_id;
};

/** The version of the event schemas that this release writes. An event of a newer one is refused. */
export const eventSchemaVersion = 1;

/**
 * An event as it was recorded, decoded, with its stream, revision and position.
 */
export type RecordedEvent<E extends { type: string; data: unknown } = EventIn<AggregateKind>> =
  E & {
    readonly id: string;
    readonly stream: StreamName;
    readonly revision: number;
    readonly position: Position;
    readonly metadata: EventMetadata;
  };

export { type EventMetadata } from '../shared/event-metadata.js';
