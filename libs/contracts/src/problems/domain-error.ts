import type { ProblemCode } from './problems.js';
import type { ValidationIssue } from './problem-schema.js';

/** Further members of a problem. */
export interface ProblemExtras {
  readonly errors?: readonly ValidationIssue[];
  readonly conversion_id?: string;
  readonly affiliate_id?: string;
  readonly program_id?: string;
  readonly adjustment_id?: string;
  /** In the minor unit of the currency; a sum of any size. */
  readonly payable?: bigint;
  readonly minimum?: number;
  /** A day. */
  readonly next_payable_on?: string | null;
  /** The ids of payouts; at most 1,000 of them. */
  readonly payouts?: readonly string[];
  readonly replay_id?: string;
}

/** An error for the client, thrown anywhere. Only the gateway turns it into a problem. */
export class DomainError extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly extras: ProblemExtras = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.name = 'DomainError';
  }
}
