import { z } from 'zod';
import type { Position } from '../position.js';
import type { StreamName } from '../streams.js';
import { accountEvents } from './account.events.js';
import { affiliateEvents } from './affiliate.events.js';
import { apiKeysEvents } from './api-keys.events.js';
import { conversionEvents } from './conversion.events.js';
import { emailClaimEvents } from './email-claim.events.js';
import type { EventMetadata } from './event-metadata.js';
import { processorEvents } from './processor.events.js';
import { logEvents } from './log.events.js';
export { logFormat } from './log.events.js';
import { programEvents } from './program.events.js';
import { webhookEndpointsEvents } from './webhook-endpoints.events.js';

/** The data of every event in the log, by type. */
export const eventSchemas = {
  ...affiliateEvents,
  ...conversionEvents,
  ...emailClaimEvents,
  ...programEvents,
  ...webhookEndpointsEvents,
  ...accountEvents,
  ...apiKeysEvents,
  ...processorEvents,
  ...logEvents,
} as const;

type Schemas = Record<string, z.ZodType>;
/** The union of events that a group of schemas describes: `{ type, data }`. */
export type EventsOf<S extends Schemas> = {
  [T in keyof S & string]: { readonly type: T; readonly data: z.infer<S[T]> };
}[keyof S & string];

export type DomainEvent = EventsOf<typeof eventSchemas>;
export type EventType = DomainEvent['type'];

export type AffiliateEvent = EventsOf<typeof affiliateEvents>;
export type ConversionEvent = EventsOf<typeof conversionEvents>;
export type EmailClaimEvent = EventsOf<typeof emailClaimEvents>;
export type ProgramEvent = EventsOf<typeof programEvents>;
export type WebhookEndpointsEvent = EventsOf<typeof webhookEndpointsEvents>;
export type AccountEvent = EventsOf<typeof accountEvents>;
export type ApiKeysEvent = EventsOf<typeof apiKeysEvents>;
export type ProcessorEvent = EventsOf<typeof processorEvents>;

/**
 * The version of the event schemas that this release writes. Older versions are read through
 * upcasters.
 */
export const eventSchemaVersion = 1;

/**
 * An event as it was recorded, decoded to the current schema, with its stream, revision and
 * position.
 */
export type Recorded<E extends { type: string; data: unknown } = DomainEvent> = E & {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly metadata: EventMetadata;
};

export { eventMetadataSchema, type EventMetadata } from './event-metadata.js';
export { affiliateFieldsSchema, type AffiliateFields } from './affiliate.events.js';
export { conversionFieldsSchema, type ConversionFields } from './conversion.events.js';
export { endpointFieldsSchema, type EndpointFields } from './webhook-endpoints.events.js';
