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

/** Whether a path needs a key, also when it is written with escapes, which the router decodes. */
export const needsKey = (url: string): boolean => underV1.test(url) || (url.includes('%') && underV1.test(decoded(url)));

const underV1 = /^\/v1(?![^/?#])/;

const decoded = (url: string): string => url.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
