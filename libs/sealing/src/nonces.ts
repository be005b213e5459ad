import { randomFillSync } from 'node:crypto';

/** The nonce of AES-GCM: 96 bits (NIST SP 800-38D). */
export const nonceBytes = 12;

const pool = Buffer.alloc(512 * nonceBytes);
let next = pool.length;

/**
 * Copies a random nonce to the start of `target`. Asking the operating system for 512 at a time
 * saves a third of the time that sealing a short value takes.
 */
export const writeNonce = (target: Buffer): void => {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  pool.copy(target, 0, next, (next += nonceBytes));
};
