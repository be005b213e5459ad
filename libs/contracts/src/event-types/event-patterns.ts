import { publicEventTypes, type PublicEventType } from './public-event-types.js';

type ObjectPatternOf<Kind extends string> = Kind extends `${infer Object}.${string}`
  ? `${Object}.*`
  : never;

/** A subscription of an endpoint: one event type, all types of an object, or all types. */
export type EventPattern = '*' | ObjectPatternOf<PublicEventType> | PublicEventType;

const objectPatternOf = (kind: string): string => `${kind.slice(0, kind.indexOf('.'))}.*`;

export const eventPatterns = [
  '*',
  ...new Set(
    publicEventTypes.map((kind) => objectPatternOf(kind) as ObjectPatternOf<PublicEventType>),
  ),
  ...publicEventTypes,
] as const satisfies readonly EventPattern[];

/** Whether one of the patterns matches an event type. */
export const matchesKind = (patterns: readonly string[], kind: string): boolean =>
  patterns.includes(kind) || patterns.includes('*') || patterns.includes(objectPatternOf(kind));
