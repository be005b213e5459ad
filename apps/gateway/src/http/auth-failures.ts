import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from './client-of.js';
import { RateLimiter } from './rate-limiter.js';

/** Most addresses that are remembered. */
const mostClients = 10_000;

/** Counts failed authentications by remote address; beyond the limit they are answered 429 in place of 401. */
export class AuthFailures {
  private readonly limiter: RateLimiter | undefined;

  /** Most of one address in a minute; 0: no limit. */
  constructor(perMinute: number, now?: () => number) {
    this.limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute, now, mostClients);
  }

  /** Whether one more would be answered 429, so that nothing need be looked up for it. */
  isOverLimit(request: FastifyRequest): boolean {
    return this.limiter?.isUsedUp(clientOf(request.ip)) === true;
  }

  /** How a failed authentication is answered; it counts. */
  refuse(request: FastifyRequest, reply: FastifyReply, why: string): DomainError {
    const allowance = this.limiter?.take(clientOf(request.ip));
    if (allowance?.overLimit !== true) return new DomainError('unauthenticated', why);
    void reply.header('retry-after', allowance.resetSeconds);
    return new DomainError(
      'rate_limited',
      `Too many failed authentications came from this address. Send a valid key, or wait ${allowance.resetSeconds} s.`,
    );
  }
}
