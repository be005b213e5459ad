import {
  DomainError,
  isObject,
  problemCodes,
  toJson,
  type Problem,
  type ProblemCode,
} from '@refledger/contracts';
import { isEventLogError } from '@refledger/event-log';
import { KeyStoreError } from '@refledger/key-store';
import { ReadStoreError, ReadModelUnreadable } from '@refledger/read-store';
import type { Logger } from '@refledger/platform';
import { DeliveryStoreError } from '@refledger/delivery-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { responseRequestId } from '../request/request-id.js';

/** The response to an error: the problem and its headers. */
export interface ProblemResponse {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** The internal cause, which belongs in the log and not in the response. */
  readonly cause: unknown;
}

/** Maps any error to a problem (RFC 9457). This is the only place that does so. */
export const problemResponse = (error: unknown, requestId: string): ProblemResponse => {
  const known = asDomainError(error);
  const { status, title } = problemCodes[known.code];
  const problem: Problem = {
    type: `/docs/errors#${known.code}`,
    title,
    status,
    code: known.code,
    detail: known.message,
    request_id: requestId,
    ...known.extras,
    errors: known.extras.errors && [...known.extras.errors],
  };
  return {
    problem,
    headers: {
      ...(known.code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
      ...((status === 503 || tooMany.has(known.code)) && { 'Retry-After': '1' }),
    },
    cause: known.cause,
  };
};

/** Codes with `Retry-After: 1`, because nobody knows when an operation in progress will end. */
const tooMany: ReadonlySet<ProblemCode> = new Set([
  'too_many_imports',
  'too_many_exports',
  'too_many_tests',
]);

/** Responds to a request with the problem for an error, and logs the internal cause. */
export const problemSender =
  (logger: Logger) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const response = problemResponse(error, responseRequestId(request));
    if (response.cause !== undefined && !request.raw.destroyed)
      logger.error({ err: response.cause, request_id: request.id }, 'a request failed');
    void reply
      .code(response.problem.status)
      .headers(response.headers)
      .header('x-request-id', response.problem.request_id)
      .type('application/problem+json')
      .send(Buffer.from(toJson(response.problem)));
  };

const asDomainError = (error: unknown): DomainError =>
  error instanceof DomainError
    ? error
    : (fromEngine(error) ??
      fromFastify(error) ??
      causedBy(
        error,
        'internal',
        'An internal error occurred. Report the request id; the service log has the cause.',
      ));

const causedBy = (cause: unknown, code: ProblemCode, detail: string): DomainError =>
  new DomainError(code, detail, {}, { cause });

/** Maps errors of the event log, the read store, the delivery store and the key store. */
const fromEngine = (error: unknown): DomainError | undefined => {
  if (error instanceof ReadModelUnreadable)
    return new DomainError(
      'read_model_behind',
      `The read model ${error.projection} is being built${error.progress === undefined ? '' : ` (at position ${error.progress})`}. Retry later.`,
    );
  if (error instanceof ReadStoreError && error.kind !== 'unstorable')
    return causedBy(error, 'unavailable', 'The read store is unavailable. Retry later.');
  if (error instanceof DeliveryStoreError)
    return causedBy(error, 'unavailable', 'The delivery store is unavailable. Retry later.');
  if (error instanceof KeyStoreError)
    return causedBy(error, 'unavailable', 'The key store is unavailable. Retry later.');
  if (isEventLogError(error, 'unavailable', 'unknown_outcome', 'unusable'))
    return causedBy(error, 'unavailable', 'The event log is unavailable. Retry later.');
  if (isEventLogError(error, 'too_large'))
    return new DomainError(
      'payload_too_large',
      'The request would create an event that is too large for the event log. Send less metadata.',
    );
  return undefined;
};

/** Maps the errors that Fastify itself raises. */
const fromFastify = (error: unknown): DomainError | undefined => {
  const code = isObject(error) ? problemOfFastify[String(error['code'])] : undefined;
  return code && new DomainError(code, details[code] ?? problemCodes[code].title);
};

const problemOfFastify: Readonly<Record<string, ProblemCode | undefined>> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
};

const details: Partial<Record<ProblemCode, string>> = {
  bad_request:
    'The request line, a header or a percent-encoding is malformed. Correct it and send the request again.',
  unsupported_media_type: 'The body is not declared as JSON. Send Content-Type: application/json.',
  uri_too_long: 'The URL is too long. Send a shorter URL.',
};
