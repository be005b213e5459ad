import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { asyncApiDocument } from './asyncapi.js';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { publicAggregateOf, topics } from '../events/public-events.js';

interface Reference {
  readonly $ref: string;
}
interface Message {
  readonly headers: object;
  readonly payload: object;
}
interface Document {
  readonly channels: Record<
    string,
    { readonly address: string; readonly messages: Record<string, Reference> }
  >;
  readonly operations: Record<
    string,
    {
      readonly action: string;
      readonly channel: Reference;
      readonly messages: readonly Reference[];
    }
  >;
  readonly components: {
    readonly messages: Record<string, Message>;
    readonly schemas: Record<string, object>;
  };
}

const document = JSON.parse(JSON.stringify(asyncApiDocument({ version: '1.2.3' }))) as Document;
const { components, channels, operations } = document;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default.default(ajv);
ajv.addKeyword('components');
const compile = (schema: object) => ajv.compile({ components, allOf: [schema] });

const allRefs = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        key === '$ref' ? [String(inner)] : allRefs(inner),
      );

/** The rules of AsyncAPI 3.0 for the parts that the document contains. */
const asyncApi3 = {
  type: 'object',
  required: ['asyncapi', 'info', 'channels', 'operations', 'components'],
  additionalProperties: false,
  properties: {
    asyncapi: { const: '3.0.0' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: {
        title: { type: 'string' },
        version: { type: 'string' },
        description: { type: 'string' },
        license: { type: 'object', required: ['name'] },
      },
      additionalProperties: false,
    },
    defaultContentType: { type: 'string' },
    channels: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['address', 'messages'],
        additionalProperties: false,
        properties: {
          address: { type: 'string' },
          title: { type: 'string' },
          description: { type: 'string' },
          messages: { type: 'object', additionalProperties: { $ref: '#/$defs/reference' } },
          bindings: { $ref: '#/$defs/bindings' },
        },
      },
    },
    operations: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['action', 'channel'],
        additionalProperties: false,
        properties: {
          action: { enum: ['send', 'receive'] },
          channel: { $ref: '#/$defs/reference' },
          messages: { type: 'array', items: { $ref: '#/$defs/reference' } },
        },
      },
    },
    components: {
      type: 'object',
      additionalProperties: false,
      properties: {
        schemas: { type: 'object' },
        messages: {
          type: 'object',
          propertyNames: { pattern: '^[\\w\\d.\\-_]+$' },
          additionalProperties: {
            type: 'object',
            additionalProperties: false,
            properties: {
              name: { type: 'string' },
              title: { type: 'string' },
              contentType: { type: 'string' },
              headers: {
                type: 'object',
                required: ['type'],
                properties: { type: { const: 'object' } },
              },
              payload: { type: 'object' },
              bindings: { $ref: '#/$defs/bindings' },
            },
          },
        },
      },
    },
  },
  $defs: {
    reference: {
      type: 'object',
      required: ['$ref'],
      properties: { $ref: { type: 'string', pattern: '^#/' } },
      additionalProperties: false,
    },
    bindings: {
      type: 'object',
      required: ['kafka'],
      properties: { kafka: { type: 'object', required: ['bindingVersion'] } },
      additionalProperties: false,
    },
  },
};

it('is an AsyncAPI 3.0 document', () => {
  const validate = new Ajv2020().compile(asyncApi3);
  expect(validate(document) ? [] : validate.errors).toEqual([]);
});

it('has no dangling references', () => {
  const references = allRefs(document);
  expect(references.length).toBeGreaterThan(30);
  for (const reference of references) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        document,
      );
    expect({ reference, found: typeof found }).toEqual({ reference, found: 'object' });
  }
});

it('has every event type that is published, in the channel of its record', () => {
  const kinds = publicEventTypes.filter((kind) => publicAggregateOf(kind) !== undefined);
  expect(Object.keys(components.messages)).toEqual(kinds);
  for (const [topic, { address, messages }] of Object.entries(channels)) {
    expect(address).toBe(`refledger.${topic}`);
    expect(Object.keys(messages)).toEqual(kinds.filter((kind) => topics.get(kind) === topic));
    expect(operations[`publish.${topic}`]?.messages).toHaveLength(Object.keys(messages).length);
  }
});

it('has schemas that a strict validator accepts, and valid examples', () => {
  for (const { headers, payload } of Object.values(components.messages)) {
    expect(() => compile(headers)).not.toThrow();
    expect(() => compile(payload)).not.toThrow();
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    const validate = compile({ $ref: `#/components/schemas/${name}` });
    for (const example of (schema as { examples?: unknown[] }).examples ?? [])
      expect(validate(example) ? [] : validate.errors).toEqual([]);
  }
});
