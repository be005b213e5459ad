import { isRead } from '../shared/operation-spec.js';
import type { OperationSpec } from '../operations/operations.js';
import { positionPattern } from '../ids/position.js';

/**
 * `Idempotency-Key`: 1 to 255 printable ASCII characters. HTTP strips the spaces around a value, so
 * none are at either end.
 */
export const idempotencyKeyPattern = '^[!-~]([ -~]{0,253}[!-~])?$';

const entityTag = '(W/)?"[!#-~]*"';
/** `If-Match` of RFC 9110 §13.1.1: `*`, or a comma-separated list of entity tags. */
export const ifMatchPattern = `^(\\*|${entityTag}([\\t ]*,[\\t ]*${entityTag})*)$`;

interface Header {
  readonly description: string;
  readonly schema: object;
}

/** The headers that a response can carry. The document refers to them by name. */
export const responseHeaders: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description:
      'The id of the request. Log lines about it have this id if it is a UUID, otherwise its hash.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limit: `"default";q=<requests>;w=<seconds>`. Absent when there is none.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'The remaining allowance: `"default";r=<left>;t=<seconds until more>`. Absent when there is no limit.',
    schema: { type: 'string' },
  },
  'Refledger-Position': {
    description: 'The position in the log of this write, or a position that this read reflects.',
    schema: { type: 'string', pattern: positionPattern },
  },
  'Refledger-As-Of': {
    description:
      'The position in `as_of`, or the position to which its time resolves. Absent without `as_of`.',
    schema: { type: 'string', pattern: positionPattern },
  },
  'Content-Disposition': {
    description: 'The name of the file. Absent from JSON.',
    schema: { type: 'string', examples: ['attachment; filename="statement.csv"'] },
  },
  'Refledger-Parts': {
    description: 'How many parts the file has in this currency.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
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
    description: '`true` if an earlier identical request created the record.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
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
      'Your own request id of 1 to 128 printable ASCII characters, returned in the response. The service generates one if it is missing or invalid. A UUID is kept as it is, with or without hyphens; of any other id, events and logs have only a hash.',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', pattern: idempotencyKeyPattern, minLength: 1, maxLength: 255 },
    description:
      'Makes the request safe to repeat, without a time limit: the same key with the same request returns 200 with the record. 1 to 255 printable ASCII characters.',
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
      'A `Refledger-Position` that the response must reflect; otherwise 503 `read_model_behind` or `ledger_behind` after a short wait.',
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
  ...(isRead(operation) ? (['MinPosition'] as const) : []),
];

/** Returns the names of the headers of a successful response. */
export const responseHeadersOf = (operation: OperationSpec, status: number): readonly string[] => [
  ...ofEvery,
  ...(operation.hasPosition === false ? [] : ['Refledger-Position']),
  ...(operation.query?.shape['as_of'] ? ['Refledger-As-Of'] : []),
  ...headersOfFile(operation),
  ...(operation.etag && operation.responses[status] ? ['ETag'] : []),
  ...(operation.idempotent ? (ofIdempotent[status] ?? []) : []),
];

const headersOfFile = ({ csv, file }: OperationSpec): readonly string[] => {
  if (file === true) return ['Content-Disposition', 'Refledger-Parts'];
  return csv === true ? ['Content-Disposition'] : [];
};

const ofIdempotent: Readonly<Record<number, readonly string[]>> = {
  200: ['Idempotent-Replayed'],
  201: ['Location'],
  202: ['Location'],
};

/** Returns the names of the headers of a problem. */
export const problemHeadersOf = (status: number): readonly string[] => {
  if (status === 401) return ['X-Request-Id', 'WWW-Authenticate'];
  return status === 429 || status === 503 ? [...ofEvery, 'Retry-After'] : ofEvery;
};

const ofEvery = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];
