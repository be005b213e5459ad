import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, needsKey, type Authentication } from './authenticate.js';
import { maxUrlLength } from './errors/broken-request.js';
import { responseRequestId } from './request/request-id.js';
import { isDecodable } from './request/request-target.js';
import { hasRoute, refuseUnknownRoute } from './errors/unknown-route.js';
import type { ConcurrencyLimit } from './limits/concurrency-limit.js';

/**
 * The checks that every request passes first, for known and unknown routes alike, in the contract's
 * order: capacity, form, key, route.
 */
export const admitRequest =
  (authentication: Authentication, work: ConcurrencyLimit) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    void reply.header('x-request-id', responseRequestId(request));
    if (!work.hasRoomFor(request)) return work.reject(request, done);
    const url = request.raw.url ?? '';
    const malformed = malformedRequest(request, url);
    if (malformed !== undefined) return done(malformed);
    // Reject unknown routes before a body is read: the body could be rejected for reasons that come
    // later in the order of checks.
    const refuseUnknown = (refused?: Error): void =>
      done(refused ?? (hasRoute(request) ? undefined : refuseUnknownRoute(request, reply)));
    if (!needsKey(url) && request.routeOptions.config.operation === undefined)
      return refuseUnknown();
    authenticate(request, reply, authentication, refuseUnknown);
  };

const malformedRequest = (
  { raw, headers }: FastifyRequest,
  url: string,
): DomainError | undefined => {
  if (url.length > maxUrlLength)
    return new DomainError(
      'uri_too_long',
      `The URL is longer than ${maxUrlLength} characters. Send a shorter URL.`,
    );
  if (raw.httpVersion === '1.1' && headers.host === undefined)
    return new DomainError('bad_request', 'The request has no Host header. HTTP/1.1 requires one.');
  if (!isDecodable(url))
    return new DomainError(
      'bad_request',
      'The query contains an invalid percent-encoding. Encode it again.',
    );
  return undefined;
};
