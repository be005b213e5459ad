import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '@refledger/platform';
import type { Caller, KeyOwner, KeyRegistry, KeyUseRecorder } from '@refledger/queries';
import { AuthFailures } from './limits/auth-failures.js';
import { rateLimitHeader, RateLimiter } from './limits/rate-limiter.js';

/** The keys and their uses, and the limits on failed authentications and on requests per key. */
export interface Authentication {
  readonly keys: Pick<KeyRegistry, 'known' | 'find'>;
  readonly uses: Pick<KeyUseRecorder, 'record'>;
  readonly failures: AuthFailures;
  readonly limiter: RateLimiter | undefined;
}

/** Authentication with these keys, within the limits of the configuration. */
export const authenticationBy = (
  known: Pick<Authentication, 'keys' | 'uses'>,
  { rateLimitPerMinute, authFailuresPerMinute }: Config['http'],
): Authentication => ({
  ...known,
  failures: new AuthFailures(authFailuresPerMinute),
  limiter: rateLimitPerMinute === 0 ? undefined : new RateLimiter(rateLimitPerMinute),
});

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Set on every path under /v1 once the key is recognized; null before that and on other paths.
     */
    caller: Caller | null;
  }
}

/**
 * Recognises the caller on every path under /v1, whether or not the path exists, and deducts the
 * request from the key's allowance. Calls `done` with an error for 401, or 429 after too many
 * failures. A known key is the usual case: `done` is then called synchronously.
 */
export const authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  { keys, uses, failures, limiter }: Authentication,
  done: (refused?: Error) => void,
): void => {
  const refuse = (why: string): void => done(failures.refuse(request, reply, why));
  const { authorization } = request.headers;
  if (authorization === undefined)
    return refuse('The request has no API key. Send Authorization: Bearer <API_KEY>.');
  const key = /^bearer +([\x21-\x7e]{1,256}) *$/i.exec(authorization)?.[1];
  if (key === undefined)
    return refuse('The Authorization header is malformed. Send Authorization: Bearer <API_KEY>.');

  const recognized = (caller: KeyOwner | undefined): void => {
    if (caller === undefined) return refuse('This API key is unknown or revoked. Use a valid key.');
    if (caller === 'expired') return refuse('This API key has expired. Use a valid key.');
    uses.record(caller.keyId);
    request.caller = caller;
    if (limiter !== undefined) {
      request.allowance = limiter.take(caller.keyId);
      void reply
        .header('ratelimit-policy', limiter.policy)
        .header('ratelimit', rateLimitHeader(request.allowance));
    }
    done();
  };
  const known = keys.known(key);
  if (known !== undefined || failures.isOverLimit(request)) recognized(known);
  else keys.find(key).then(recognized, done);
};

/** Whether a path needs a key. The router decodes escapes, so they are decoded here too. */
export const needsKey = (url: string): boolean =>
  underV1.test(url) || (url.includes('%') && underV1.test(decoded(url)));

const underV1 = /^\/v1(?![^/?#])/;

const decoded = (url: string): string =>
  url.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
