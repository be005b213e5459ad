import type { z } from 'zod';
import { envelopeSchema } from '../events/envelope.js';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { exampleIdOf, idPrefixes } from '../ids/ids.js';
import { bodyExamples } from '../shared/body-examples.js';
import { NamedSchemas } from './json-schema.js';
import {
  responseHeadersOf,
  problemHeadersOf,
  requestHeaders,
  requestHeadersOf,
  responseHeaders,
} from './openapi-headers.js';
import { problemsByStatus } from './operation-problems.js';
import { operationsByTag, type OperationSpec } from '../operations/operations.js';
import { problemSchema } from '../problems/problem-schema.js';
import { problemCodes, type ProblemCode } from '../problems/problems.js';

/**
 * Builds the OpenAPI 3.1 document of the HTTP API, from the same schemas that validate requests and
 * shape responses.
 */
export const openApiDocument = ({ version }: { version: string }): object => {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const [tag, group] of Object.entries(operationsByTag))
    for (const [id, spec] of Object.entries<OperationSpec>(group))
      (paths[pathOf(spec)] ??= {})[spec.method.toLowerCase()] = operationOf(
        id,
        spec,
        tag,
        components,
      );
  const webhooks = { event: { post: eventOf(components) } };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Refledger',
      version,
      summary: 'Records the referral activity of affiliate programs, exact to the cent.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: Object.keys(operationsByTag).map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer <API_KEY>`.',
        },
      },
      parameters: requestHeaders,
      headers: responseHeaders,
      responses: components.responses,
      schemas: components.schemas(),
    },
  };
};

const description = `Bodies are JSON in UTF-8, times RFC 3339 in UTC with milliseconds, money an integer in the currency's minor unit (4950 is 49.50 USD; sums are not limited to 2^53).
Every error is a problem (RFC 9457) with a stable \`code\`; see [/docs/errors](/docs/errors). HEAD works where GET does. Unknown fields and query parameters are rejected. So are filters that are empty, or ids of another kind; an id that no record has finds nothing.
Text has no control characters. Text that people read (all but \`metadata\`) has no characters that change its direction (U+202A to U+202E, U+2066 to U+2069), and must be visible where it may not be empty.`;

/** Collects the schemas and responses that the document refers to by name. */
class Components extends NamedSchemas {
  /** The responses of problems, named by their codes. */
  readonly responses: Record<string, object> = {};

  problemOf(status: number, codes: readonly ProblemCode[]): object {
    const name = codes.join('.');
    this.responses[name] ??= {
      description: codes.map((code) => `${problemCodes[code].title} (\`${code}\`)`).join(', '),
      headers: headerRefs(problemHeadersOf(status)),
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              this.schemaOf(problemSchema),
              { type: 'object', properties: { code: { enum: codes } } },
            ],
          },
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

const pathOf = ({ path }: OperationSpec): string => path.replaceAll(/:(\w+)/g, '{$1}');

const requiredScope = ({ scope, adminFields }: OperationSpec): string =>
  [
    `Requires a key with scope \`${scope}\`.`,
    ...(adminFields === undefined
      ? []
      : [
          `The fields ${adminFields.map((field) => `\`${field}\``).join(', ')} require scope \`admin\`.`,
        ]),
  ].join(' ');

const operationOf = (
  operationId: string,
  spec: OperationSpec,
  tag: string,
  components: Components,
): object => ({
  operationId,
  summary: spec.summary,
  description: requiredScope(spec),
  tags: [tag],
  parameters: [
    ...[...spec.path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name, spec)),
    ...Object.entries<z.ZodType>(spec.query?.shape ?? {}).map(([name, schema]) =>
      queryParameter(name, schema, components),
    ),
    ...requestHeadersOf(spec).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ],
  ...requestBodyOf(spec, components),
  responses: {
    ...responsesOf(spec, components),
    ...Object.fromEntries(
      [...problemsByStatus(spec)].map(([status, codes]) => [
        status,
        components.problemOf(status, codes),
      ]),
    ),
  },
});

const pathParameter = (name: string, { id, ids }: OperationSpec): object => {
  const kind = name === 'id' ? id : ids?.[name];
  if (kind === undefined) throw new TypeError(`the path parameter ${name} has no kind`);
  return {
    name,
    in: 'path',
    required: true,
    description: `Starts with \`${idPrefixes[kind]}\`.`,
    schema: { type: 'string', examples: [exampleIdOf(kind)] },
  };
};

const requestBodyOf = (
  { body, bodyIsOptional, bodyLine }: OperationSpec,
  components: Components,
): object => {
  const schema = body ?? bodyLine;
  if (schema === undefined) return {};
  const mediaType = body === undefined ? ndjson : 'application/json';
  return {
    requestBody: {
      required: bodyIsOptional !== true,
      content: {
        [mediaType]: { schema: components.schemaOf(schema), ...bodyExamples.get(schema) },
      },
    },
  };
};

const queryParameter = (name: string, schema: z.ZodType, components: Components): object => {
  const { description: text, ...json } = components.schemaOf(schema);
  return {
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    ...(text !== undefined && { description: text }),
    schema: json,
  };
};

const responsesOf = (spec: OperationSpec, components: Components): Record<string, object> =>
  Object.fromEntries(
    Object.entries(spec.responses).map(([status, schema]) => [
      status,
      {
        description: responseTitles[Number(status)] ?? 'Done',
        headers: headerRefs(responseHeadersOf(spec, Number(status))),
        ...(schema && { content: contentOf(spec, components.schemaOf(schema)) }),
      },
    ]),
  );

const contentOf = ({ streamed, csv, file }: OperationSpec, schema: object): object => ({
  ...(file !== true && { [streamed === true ? ndjson : 'application/json']: { schema } }),
  ...((csv ?? file) === true && { 'text/csv': { schema: { type: 'string' } } }),
});

/** The schema of NDJSON describes one line. */
const ndjson = 'application/x-ndjson';

const responseTitles: Readonly<Record<number, string>> = {
  200: 'The record, or the list',
  201: 'Created',
  202: 'Accepted: the rest is done in the background',
  204: 'Done',
};

const headerRefs = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const eventOf = (components: Components): object => ({
  summary: 'An event, sent to every endpoint that subscribed to its type',
  description: `Delivered at least once, in no guaranteed order: dedupe by \`webhook-id\`, and order the events of one record by the body's \`timestamp\`, then by \`revision\`, or by \`position\` if it has none. Respond with 2xx in time; otherwise the delivery is retried. Kinds: ${publicEventTypes.map((kind) => `\`${kind}\``).join(', ')}.`,
  security: [],
  parameters: [
    [
      'X-Service-Signature',
      "Lower-case hex HMAC-SHA256 of the raw body; the key is the secret's characters, UTF-8.",
    ],
    ['X-Service-Event', 'The event type.'],
    ['X-Service-Delivery', 'The id of the delivery.'],
    ['X-Service-Revision', 'The `revision` of the record after the event; absent if it has none.'],
    ['webhook-id', "Standard Webhooks: the body's `id`."],
    ['webhook-timestamp', 'Standard Webhooks: Unix seconds of this attempt.'],
    [
      'webhook-signature',
      'Standard Webhooks: `v1,` and base64 HMAC-SHA256 over `id.timestamp.body`.',
    ],
  ].map(([name, text]) => ({
    name,
    in: 'header',
    required: name !== 'X-Service-Revision',
    description: text,
    schema: { type: 'string' },
  })),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: components.schemaOf(envelopeSchema) } },
  },
  responses: {
    '2XX': { description: 'Received' },
    410: {
      description: 'Gone: the endpoint is disabled and its unfinished deliveries are canceled',
    },
  },
});
