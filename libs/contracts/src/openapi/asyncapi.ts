import { z } from 'zod';
import { publicAggregates } from '../aggregates/public-aggregates.js';
import type { PublicEventType } from '../event-types/public-event-types.js';
import { idSchema } from '../ids/ids.js';
import { NamedSchemas, type JsonSchema } from './json-schema.js';
import { instantSchema } from '../time.js';

/**
 * Builds the AsyncAPI 3.0 document of the Kafka topics that the relay publishes, from the same
 * schemas as the HTTP API.
 */
export const asyncApiDocument = ({ version }: { version: string }): object => {
  const schemas = new NamedSchemas();
  const messages = Object.fromEntries(
    published.flatMap(({ record, kinds, partitionedBy }) =>
      kinds.map((kind: PublicEventType) => [
        kind,
        {
          ...messageOf(kind, schemas.schemaOf(headersSchema(kind)), schemas.schemaOf(record)),
          bindings: keyOf(partitionedBy),
        },
      ]),
    ),
  );
  return {
    asyncapi: '3.0.0',
    info: { title: 'Refledger', version, description, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      channels.map(({ topic, kinds, partitionedBy }) => [
        topic,
        {
          address: `refledger.${topic}`,
          title: topic.charAt(0).toUpperCase() + topic.slice(1),
          description: `The key of a message is the id of its ${partitionedBy}.`,
          messages: Object.fromEntries(
            kinds.map((kind) => [kind, { $ref: `#/components/messages/${kind}` }]),
          ),
          bindings: { kafka: { topic: `refledger.${topic}`, bindingVersion: '0.5.0' } },
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.map(({ topic, kinds }) => [
        `publish.${topic}`,
        {
          action: 'send',
          channel: { $ref: `#/channels/${topic}` },
          messages: kinds.map((kind) => ({ $ref: `#/channels/${topic}/messages/${kind}` })),
        },
      ]),
    ),
    components: { messages, schemas: schemas.schemas() },
  };
};

/**
 * The Kafka headers of a published event: the CloudEvents attributes in the binary mode of the
 * Kafka protocol binding.
 */
export const headersSchema = (kind: PublicEventType) =>
  z.object({
    ce_specversion: z.literal('1.0'),
    ce_id: idSchema('event').describe(
      'Dedupe by it. It equals the `webhook-id` of the event’s webhooks.',
    ),
    ce_source: z
      .string()
      .regex(/^\/refledger\/logs\/.+$/)
      .describe('The log that holds the event. Positions of different logs are unrelated.'),
    ce_type: z.literal(kind),
    ce_subject: z.string().describe('The id of the record.'),
    ce_time: instantSchema.describe('When the event was recorded.'),
    ce_accountid: idSchema('account'),
    ce_position: z
      .string()
      .regex(/^(0|[1-9]\d{0,19})$/)
      .describe('The event’s position in the log.'),
    ce_revision: z
      .string()
      .regex(/^\d+$/)
      .describe(
        'Orders the events of one record. It rises from 0 without gaps; for a `webhook_endpoint`, it may start higher and has gaps.',
      ),
    'content-type': z.literal('application/json'),
  });

const published = Object.values(publicAggregates);

/** One per topic, which may carry the events of several aggregates. */
const channels = [...new Set(published.map(({ topic }) => topic))].map((topic) => {
  const carried = published.filter((aggregate) => aggregate.topic === topic);
  return {
    topic,
    kinds: carried.flatMap(({ kinds }): readonly PublicEventType[] => kinds),
    partitionedBy: [...new Set(carried.map(({ partitionedBy }) => partitionedBy))].join(' or '),
  };
});

const messageOf = (kind: PublicEventType, headers: JsonSchema, payload: JsonSchema): object => ({
  name: kind,
  title: kind,
  contentType: 'application/json',
  headers,
  payload,
});

const keyOf = (partitionedBy: string): object => ({
  kafka: {
    key: { type: 'string', description: `The ${partitionedBy}’s id.` },
    bindingVersion: '0.5.0',
  },
});

const description = `Every public event as a CloudEvent 1.0 in binary mode; the value is the record as the API shows it, as of exactly this event.
Read committed; dedupe by \`ce_id\`; \`ce_time\`, then \`ce_revision\`, order one record; there is no order between topics. See docs/consumers.md.`;
