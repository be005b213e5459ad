import { z } from 'zod';
import type { Position } from '../position.js';
import type { StreamName } from '../streams.js';
import { accountEvents } from './account.events.js';
import { affiliateEvents } from './affiliate.events.js';
import { apiKeysEvents } from './api-keys.events.js';
import { conversionEvents } from './conversion.events.js';
import { emailClaimEvents } from './email-claim.events.js';
import { followerEvents } from './follower.events.js';
import { logEvents } from './log.events.js';
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
  ...followerEvents,
  ...logEvents,
} as const;

type Schemas = Record<string, z.ZodType>;
/** The union of events that a group of schemas describes: `{ type, data }`. */
export type EventsOf<S extends Schemas> = { [T in keyof S & string]: { readonly type: T; readonly data: z.infer<S[T]> } }[keyof S & string];

export type DomainEvent = EventsOf<typeof eventSchemas>;
export type EventType = DomainEvent['type'];

export type AffiliateEvent = EventsOf<typeof affiliateEvents>;
export type ConversionEvent = EventsOf<typeof conversionEvents>;
export type EmailClaimEvent = EventsOf<typeof emailClaimEvents>;
export type ProgramEvent = EventsOf<typeof programEvents>;
export type WebhookEndpointsEvent = EventsOf<typeof webhookEndpointsEvents>;
export type AccountEvent = EventsOf<typeof accountEvents>;
export type ApiKeysEvent = EventsOf<typeof apiKeysEvents>;
export type FollowerEvent = EventsOf<typeof followerEvents>;

/** The version of the event schemas that this release writes; older ones are read through upcasters. */
export const eventSchemaVersion = 1;

/** What stands beside the data of every event. `account_id` is null for what belongs to no account (the log, followers). */
export const eventMetadataSchema = z.strictObject({
  account_id: z.string().nullable(),
  actor: z.string().describe('the id of the key that asked for it, or the name of a role of the service'),
  request_id: z.string(),
  schema: z.int(),
  recorded_at: z.string(),
});
export type EventMetadata = Readonly<z.infer<typeof eventMetadataSchema>>;

/** An event as it was recorded: understood, of the present schema, with its place. */
export type Recorded<E extends { type: string; data: unknown } = DomainEvent> = E & {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly metadata: EventMetadata;
};

export { affiliateFieldsSchema, type AffiliateFields } from './affiliate.events.js';
export { conversionFieldsSchema, type ConversionFields } from './conversion.events.js';
export { endpointFieldsSchema, type EndpointFields } from './webhook-endpoints.events.js';
