import { DomainError, includesScope, type Scope } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Allowance } from './rate-limiter.js';

/** What an operation refuses before it reads a body, in the contract's order. One hook for all, since every request pays for each hook. */
export const admission =
  (needed: Scope, maxBodyBytes: number): onRequestHookHandler =>
  (request, reply, done) =>
    done(
      scopeFault(request, needed) ??
        allowanceFault(request, reply) ??
        (request.method === 'GET' || request.method === 'HEAD'
          ? undefined
          : bodyFault(request, maxBodyBytes)),
    );

/** 403 unless the caller's scope includes the one that the operation needs. */
const scopeFault = ({ caller }: FastifyRequest, needed: Scope): DomainError | undefined => {
  if (caller === null)
    return new DomainError('unauthenticated', 'send Authorization: Bearer <API_KEY>');
  return includesScope(caller.scope, needed)
    ? undefined
    : new DomainError(
        'insufficient_scope',
        `this needs a key of scope ${needed}; the scope of this one is ${caller.scope}`,
      );
};

/** 429 when the key's allowance, taken when it was recognised, is used up. */
const allowanceFault = (
  { allowance }: FastifyRequest,
  reply: FastifyReply,
): DomainError | undefined => {
  if (allowance?.overLimit !== true) return undefined;
  void reply.header('retry-after', allowance.resetSeconds);
  return new DomainError(
    'rate_limited',
    `this key has used up its requests of this minute: wait ${allowance.resetSeconds} s`,
  );
};

/** Only where a body is read: what a GET carries is left aside. */
const bodyFault = (request: FastifyRequest, maxBodyBytes: number): DomainError | undefined =>
  sizeFault(request, maxBodyBytes) ?? encodingFault(request);

/** 413 as soon as the declared length says so, before the content type is looked at. A body without a declared length is cut off while it is read. */
const sizeFault = ({ headers }: FastifyRequest, maxBodyBytes: number): DomainError | undefined =>
  Number(headers['content-length'] ?? 0) > maxBodyBytes
    ? new DomainError('payload_too_large', `the body must have at most ${maxBodyBytes} bytes`)
    : undefined;

/** 415 for a compressed body: only plain JSON is read. */
const encodingFault = ({ headers }: FastifyRequest): DomainError | undefined => {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === 'identity'
    ? undefined
    : new DomainError('unsupported_media_type', 'send the body as it is, without Content-Encoding');
};

declare module 'fastify' {
  interface FastifyRequest {
    /** What is left to the caller's key; null without a limit or a key. */
    allowance: Allowance | null;
  }
}
