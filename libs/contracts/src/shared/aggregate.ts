import type { z } from 'zod';
import type { AccountId, IdKind } from '../ids/ids.js';
import type { EventMetadata } from './event-metadata.js';

/**
 * An aggregate as data. Its kind is its key in the list of aggregates; the names of its streams
 * start with it.
 */
export interface AggregateSpec {
  /** The parts of a stream's name after the kind: an id of this kind, or other text. */
  readonly stream: readonly StreamPart[];
  /** The ids of things that share a stream, each with the field of the events that holds it. */
  readonly members?: Readonly<Partial<Record<IdKind, string>>>;
  /** The data of its events, by type. */
  readonly events: Readonly<Record<string, z.ZodType>>;
  /** The fields of its events that must never be printed, each with the text shown instead. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The member of its events that repeats the id in the name of their stream. It is not recorded. */
  readonly idMember?: string;
  /** Returns members of an event that follow from the rest of it. If equal, they are not recorded. */
  readonly derived?: (event: CompletedEvent) => DerivedMembers;
}

/** An event whose data has every default. */
export interface CompletedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Pick<EventMetadata, 'recorded_at'>;
}

/** Members of an event's data, and of its `after`. */
export interface DerivedMembers {
  readonly data: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** An aggregate whose events webhooks and the event bus carry, each with the aggregate's record. */
export interface PublicAggregateSpec extends AggregateSpec {
  /** The types of its public events. */
  readonly kinds: readonly string[];
  /** The schema of its record, which has a literal `object`. */
  readonly record: z.ZodObject;
  /** The topic of its events, after the prefix of all topics. */
  readonly topic: string;
  /** The kind of thing whose id is the key that orders its records within the topic. */
  readonly partitionedBy: IdKind;
  readonly partitionKey: (record: never, account: AccountId) => string;
}

export type StreamPart = IdKind | 'text';

/** The union of events that a group of schemas describes: `{ type, data }`. */
export type EventsOf<S extends Readonly<Record<string, z.ZodType>>> = {
  [T in keyof S & string]: { readonly type: T; readonly data: z.infer<S[T]> };
}[keyof S & string];

/** Like `EventsOf`, but a field with a default may be absent. */
export type EventInputsOf<S extends Readonly<Record<string, z.ZodType>>> = {
  [T in keyof S & string]: { readonly type: T; readonly data: z.input<S[T]> };
}[keyof S & string];
