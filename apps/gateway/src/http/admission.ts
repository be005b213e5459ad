import { DomainError, includesScope, type Scope } from '@refledger/contracts';
import type { onRequestHookHandler } from 'fastify';
import type { Allowance } from './rate-limiter.js';

/** 403 unless the caller's scope includes the one that the operation needs. */
export const requireScope = (needed: Scope): onRequestHookHandler => (request, _reply, done) => {
  if (request.caller === null) return done(new DomainError('unauthenticated', 'send Authorization: Bearer <API_KEY>'));
  const held = request.caller.scope;
  done(includesScope(held, needed) ? undefined : new DomainError('insufficient_scope', `this needs a key of scope ${needed}; the scope of this one is ${held}`));
};

/** 429 when the key's allowance, taken when it was recognised, is used up. */
export const requireAllowance: onRequestHookHandler = (request, reply, done) => {
  if (request.allowance?.overLimit !== true) return done();
  void reply.header('Retry-After', request.allowance.resetSeconds);
  done(new DomainError('rate_limited', `this key has used up its requests of this minute: wait ${request.allowance.resetSeconds} s`));
};

/** 413 as soon as the declared length says so, before the content type is looked at. A body without a declared length is cut off while it is read. */
export const requireSize = (maxBodyBytes: number): onRequestHookHandler => (request, _reply, done) => {
  const length = Number(request.headers['content-length'] ?? 0);
  done(length > maxBodyBytes ? new DomainError('payload_too_large', `the body must have at most ${maxBodyBytes} bytes`) : undefined);
};

/** 415 for a compressed body: only plain JSON is read. */
export const requirePlainBody: onRequestHookHandler = (request, _reply, done) => {
  const encoding = request.headers['content-encoding'];
  done(encoding === undefined || encoding === 'identity' ? undefined : new DomainError('unsupported_media_type', 'send the body as it is, without Content-Encoding'));
};

declare module 'fastify' {
  interface FastifyRequest {
    /** What is left to the caller's key; null without a limit or a key. */
    allowance: Allowance | null;
  }
}
