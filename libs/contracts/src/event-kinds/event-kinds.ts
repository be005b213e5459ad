import { endpointKinds } from './endpoint-kinds.js';
import { ownStreamAggregates } from './own-stream-aggregates.js';

const ownStream = Object.values(ownStreamAggregates);

/** The kinds of public events. Webhooks and the event bus carry these kinds and no others. */
export const eventKinds = [
  ...ownStream.flatMap(({ kinds }): readonly EventKind[] => kinds),
  ...endpointKinds,
];
/** The kind of a public event, such as `conversion.approved`. */
export type EventKind =
  (typeof ownStream)[number]['kinds'][number] | (typeof endpointKinds)[number];

const known: ReadonlySet<string> = new Set(eventKinds);
/** Whether an event type is public. */
export const isEventKind = (type: string): type is EventKind => known.has(type);
