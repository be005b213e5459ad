import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRegistry } from '../accounts/key-registry.js';
import type { Caller } from './caller.js';
import { rateLimitHeader, type RateLimiter } from './rate-limiter.js';

/**
 * Recognises the caller on every path under /v1, known or not, and takes the request from its allowance. `done` gets what is refused with 401,
 * and is called back at once where the key is known here already, as nearly always.
 */
export const authenticate = (request: FastifyRequest, reply: FastifyReply, { keys, limiter }: { keys: KeyRegistry; limiter: RateLimiter | undefined }, done: (refused?: Error) => void): void => {
  const { authorization } = request.headers;
  if (authorization === undefined) return done(new DomainError('unauthenticated', 'send Authorization: Bearer <API_KEY>'));
  const key = /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(authorization)?.[1];
  if (key === undefined) return done(new DomainError('unauthenticated', 'the Authorization header must be Bearer and one API key'));

  const recognised = (caller: Caller | undefined): void => {
    if (caller === undefined) return done(new DomainError('unauthenticated', 'this API key is unknown or revoked'));
    request.caller = caller;
    if (limiter !== undefined) {
      request.allowance = limiter.take(caller.keyId);
      void reply.header('ratelimit-policy', limiter.policy).header('ratelimit', rateLimitHeader(request.allowance));
    }
    done();
  };
  const known = keys.known(key);
  if (known !== undefined) recognised(known);
  else keys.find(key).then(recognised, done);
};

/** Whether a path needs a key, also when it is written with escapes, which the router decodes. */
export const needsKey = (url: string): boolean => underV1.test(url) || (url.includes('%') && underV1.test(decoded(url)));

const underV1 = /^\/v1(?![^/?#])/;

const decoded = (url: string): string => url.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
