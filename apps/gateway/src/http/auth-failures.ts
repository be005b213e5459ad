import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from './client-of.js';
import { RateLimiter } from './rate-limiter.js';

/** The most addresses that are remembered. */
const mostClients = 10_000;

/**
 * Counts failed authentications by remote address. Beyond the limit they are answered with 429
 * instead of 401.
 */
export class AuthFailures {
  private readonly limiter: RateLimiter | undefined;

  /** `perMinute` is the limit per address; 0 means no limit. */
  constructor(perMinute: number, now?: () => number) {
    this.limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute, now, mostClients);
  }

  /** Whether the next failure would be answered with 429, so that the key need not be looked up. */
  isOverLimit(request: FastifyRequest): boolean {
    return this.limiter?.isUsedUp(clientOf(request.ip)) === true;
  }

  /** Counts a failed authentication and returns the error to answer it with. */
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
