import { isIPv6 } from 'node:net';
import { DomainError } from '@refledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiter } from './rate-limiter.js';

/** The maximum number of addresses that are remembered. */
const maxClients = 10_000;

/**
 * Counts failed authentications by remote address. Beyond the limit they are rejected with 429
 * instead of 401.
 */
export class AuthFailures {
  private readonly limiter: RateLimiter | undefined;

  /** `perMinute` is the limit per address; 0 means no limit. */
  constructor(perMinute: number, now?: () => number) {
    this.limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute, now, maxClients);
  }

  /** Whether the next failure would be rejected with 429, so that the key need not be looked up. */
  isOverLimit(request: FastifyRequest): boolean {
    return this.limiter?.isExhausted(clientOf(request.ip)) === true;
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

/**
 * The client behind a remote address. An IPv6 client usually has a whole /64 (RFC 4291 §2.5.1), so
 * the first half of its address identifies it.
 */
export const clientOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
};
