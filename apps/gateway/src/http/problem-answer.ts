import { DomainError, problemCodes, type Problem, type ProblemCode } from '@refledger/contracts';
import { isEventLogError } from '@refledger/event-log';
import { ReadStoreError, ReadModelUnreadable } from '@refledger/read-store';

/** The answer to an error: the problem and its headers. */
export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** The internal cause, which belongs in the log and not in the answer. */
  readonly cause: unknown;
}

/** Maps any error to a problem (RFC 9457). This is the only place that does so. */
export const problemAnswer = (error: unknown, requestId: string): ProblemAnswer => {
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
      ...(status === 503 && { 'Retry-After': '1' }),
    },
    cause: known.cause,
  };
};

const asDomainError = (error: unknown): DomainError =>
  error instanceof DomainError
    ? error
    : (fromEngine(error) ??
      fromFastify(error) ??
      new DomainError(
        'internal',
        'An internal error occurred. Report the request id; the service log has the cause.',
        {},
        { cause: error },
      ));

/** Maps errors of the event log and the read store. */
const fromEngine = (error: unknown): DomainError | undefined => {
  if (error instanceof ReadModelUnreadable)
    return new DomainError(
      'read_model_behind',
      `The read model ${error.projection} is being built${error.progress === undefined ? '' : ` (at position ${error.progress})`}. Retry later.`,
    );
  if (error instanceof ReadStoreError && error.kind === 'unavailable')
    return new DomainError(
      'unavailable',
      'The read store is unavailable. Retry later.',
      {},
      { cause: error },
    );
  if (isEventLogError(error, 'unavailable', 'unknown_outcome', 'unusable'))
    return new DomainError(
      'unavailable',
      'The event log is unavailable. Retry later.',
      {},
      { cause: error },
    );
  if (isEventLogError(error, 'too_large'))
    return new DomainError(
      'payload_too_large',
      'The request makes an event that is too large for the event log. Send less metadata.',
    );
  return undefined;
};

/** Maps the errors that Fastify itself raises. */
const fromFastify = (error: unknown): DomainError | undefined => {
  const code = problemOfFastify[(error as { code?: string } | null)?.code ?? ''];
  return code && new DomainError(code, details[code] ?? problemCodes[code].title);
};

const problemOfFastify: Readonly<Record<string, ProblemCode | undefined>> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
};

const details: Partial<Record<ProblemCode, string>> = {
  bad_request:
    'the request cannot be understood: a percent escape, a header or the request line is broken',
  unsupported_media_type: 'a body must come with Content-Type: application/json',
  uri_too_long: 'the address is too long',
};
