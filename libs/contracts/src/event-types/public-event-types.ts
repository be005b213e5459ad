import { endpointEventTypes } from './endpoint-event-types.js';
import { ownStreamAggregates } from './own-stream-aggregates.js';

const ownStream = Object.values(ownStreamAggregates);

/** The types of public events. Webhooks and the event bus carry these types and no others. */
export const publicEventTypes = [
  ...ownStream.flatMap(({ kinds }): readonly PublicEventType[] => kinds),
  ...endpointEventTypes,
];
/** The type of a public event, such as `conversion.approved`. */
export type PublicEventType =
  (typeof ownStream)[number]['kinds'][number] | (typeof endpointEventTypes)[number];

const known: ReadonlySet<string> = new Set(publicEventTypes);
export const isPublicEventType = (type: string): type is PublicEventType => known.has(type);
