import { idempotencyKeyPattern, ifMatchPattern } from './header-patterns.js';
import type { OperationSpec } from './operations.js';
import { positionPattern } from './position.js';

interface Header {
  readonly description: string;
  readonly schema: object;
}

/** The headers that an answer can carry. The document refers to them by name. */
export const responseHeaders: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'The id of the request, in every log line about it.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limit: `"default";q=<requests>;w=<seconds>`. Absent when there is none.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of it: `"default";r=<left>;t=<seconds until more>`. Absent when there is no limit.',
    schema: { type: 'string' },
  },
  'Refledger-Position': {
    description:
      'The position in the log of this write, or the one that this read reflects at least.',
    schema: { type: 'string', pattern: positionPattern },
  },
  ETag: {
    description: 'The revision of the record, in quotes; for `If-Match`.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  Location: {
    description: 'The address of the new record.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: '`true`: the record was there already, made by the same request before.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', const: 'Bearer' },
  },
};

/** The headers that a request can carry. */
export const requestHeaders = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    schema: { type: 'string' },
    description:
      'An id of your own, which comes back with the answer when it is 1 to 128 printable ASCII characters; otherwise the service makes one.',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', pattern: idempotencyKeyPattern, minLength: 1, maxLength: 255 },
    description:
      'Makes the request repeatable for ever: the same key with the same request answers 200 with the record. 1 to 255 printable ASCII characters.',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` last seen: if the record has changed since, 412 `revision_mismatch`.',
    schema: { type: 'string', pattern: ifMatchPattern, examples: ['"3"'] },
  },
  MinPosition: {
    name: 'Refledger-Min-Position',
    in: 'header',
    schema: { type: 'string', pattern: positionPattern },
    description:
      'A `Refledger-Position` that the answer must reflect; else 503 `read_model_behind` after a short wait.',
  },
} as const;
export type RequestHeader = keyof typeof requestHeaders;

/** Returns the headers that an operation takes. */
export const requestHeadersOf = (operation: OperationSpec): readonly RequestHeader[] => [
  'RequestId',
  ...(operation.idempotent ? (['IdempotencyKey'] as const) : []),
  ...(operation.etag && (operation.method === 'PATCH' || operation.method === 'DELETE')
    ? (['IfMatch'] as const)
    : []),
  ...(operation.problems.includes('read_model_behind') ? (['MinPosition'] as const) : []),
];

/** Returns the names of the headers of a successful answer. */
export const answerHeadersOf = (operation: OperationSpec, status: number): readonly string[] => [
  ...ofEvery,
  'Refledger-Position',
  ...(operation.etag && operation.answers[status] ? ['ETag'] : []),
  ...(operation.idempotent && status === 201 ? ['Location'] : []),
  ...(operation.idempotent && status === 200 ? ['Idempotent-Replayed'] : []),
];

/** Returns the names of the headers of a problem. */
export const problemHeadersOf = (status: number): readonly string[] => {
  if (status === 401) return ['X-Request-Id', 'WWW-Authenticate'];
  return status === 429 || status === 503 ? [...ofEvery, 'Retry-After'] : ofEvery;
};

const ofEvery = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];
