import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRegistry } from '../accounts/key-registry.js';
import { rateLimitHeaders, type RateLimiter } from './rate-limiter.js';

/** Recognises the caller on every path under /v1, known or not, and takes the request from its allowance. Throws 401. */
export const authenticate = async (request: FastifyRequest, reply: FastifyReply, keys: KeyRegistry, limiter: RateLimiter | undefined): Promise<void> => {
  const header = request.headers.authorization;
  if (header === undefined) throw new DomainError('unauthenticated', 'send Authorization: Bearer <API_KEY>');
  const key = /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(header)?.[1];
  if (key === undefined) throw new DomainError('unauthenticated', 'the Authorization header must be Bearer and one API key');
  const caller = keys.known(key) ?? (await keys.find(key));
  if (caller === undefined) throw new DomainError('unauthenticated', 'this API key is unknown or revoked');
  request.caller = caller;
  if (limiter === undefined) return;
  request.allowance = limiter.take(caller.keyId);
  reply.headers(rateLimitHeaders(limiter.limit, request.allowance));
};

/** Whether a path needs a key, whatever its escapes look like. */
export const needsKey = (url: string): boolean => /^\/v1(?![^/?#])/.test(url);
