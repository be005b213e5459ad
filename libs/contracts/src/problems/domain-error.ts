import type { ProblemExtras } from './problem-extras.js';
import type { ProblemCode } from './problems.js';

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
