import { hash } from 'node:crypto';
import type { BalanceId } from '@refledger/contracts';

/**
 * The hash chain of a balance's events. Each event holds the SHA-256 (lower-case hex) of the hash
 * before it and of its own data, so no one can change a line unnoticed once a later hash is known.
 */
export const chainStart = (balance: BalanceId): string => sha256(balance);

/** Returns the hash of an event with this data, which excludes `chain`. */
export const nextInChain = (before: string, data: object): string =>
  sha256(before + canonicalJson(data));

const sha256 = (text: string): string => hash('sha256', text);

/** RFC 8785 (JSON Canonicalization Scheme), for data whose numbers are integers below 2^53. */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
};
