import {
  idempotencyKeyPattern,
  toPosition,
  type ValidationIssue,
  type Position,
} from '@refledger/contracts';
import type { FastifyRequest } from 'fastify';
import { entityTags, type IfMatch } from './if-match.js';

/** A header that some operations read, and the form that it must have. */
interface RequestHeader<T> {
  readonly name: string;
  /** Returns undefined for a value that is rejected. */
  readonly parse: (value: string, request: FastifyRequest) => T | undefined;
  readonly wanted: string;
}

/**
 * The parsed header of a request. Undefined when it is missing, or when it is rejected, which adds
 * an issue.
 */
export const readHeader = <T>(
  request: FastifyRequest,
  { name, parse, wanted }: RequestHeader<T>,
  issues: ValidationIssue[],
): T | undefined => {
  const value = request.headers[name];
  if (value === undefined) return undefined;
  const result = typeof value === 'string' ? parse(value, request) : undefined;
  if (result === undefined)
    issues.push({ path: name, code: 'invalid_format', message: `${name} must be ${wanted}.` });
  return result;
};

/** `Idempotency-Key`, as text. */
export const idempotencyKey: RequestHeader<string> = {
  name: 'idempotency-key',
  parse: (value, { raw }) => {
    // Node joins repeated headers with a comma, which a key may also contain.
    const isOne = !value.includes(',') || raw.headersDistinct['idempotency-key']?.length === 1;
    return isOne && keyPattern.test(value) ? value : undefined;
  },
  wanted: 'given once, as 1 to 255 printable ASCII characters',
};

const keyPattern = new RegExp(idempotencyKeyPattern);

/** `Refledger-Min-Position`, as a position. */
export const minPosition: RequestHeader<Position> = {
  name: 'refledger-min-position',
  parse: toPosition,
  wanted: 'a position: a decimal number from a Refledger-Position header',
};

/** `If-Match`, as the revisions that it accepts. */
export const ifMatch: RequestHeader<IfMatch> = {
  name: 'if-match',
  parse: entityTags,
  wanted: 'an entity tag such as "3", or *',
};
