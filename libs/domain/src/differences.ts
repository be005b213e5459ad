import { isDeepStrictEqual } from 'node:util';
import { DomainError, keysOf, type ValidationIssue } from '@refledger/contracts';

/**
 * Returns an issue for each field whose sent value is not the stored one. Metadata, terms and lists
 * are compared, and shown, as a whole.
 */
export const differences = <Fields extends object>(
  sent: Fields,
  stored: Fields,
): readonly ValidationIssue[] =>
  keysOf(sent).flatMap((field) =>
    isDeepStrictEqual(sent[field], stored[field])
      ? []
      : [
          {
            path: `/${field}`,
            code: 'differs',
            message: `${field} differs: see sent and stored.`,
            sent: sent[field],
            stored: stored[field],
          },
        ],
  );

/** The error for a request with the `Idempotency-Key` of a different one, which did `done`. */
export const keyReused = (done: string, errors: readonly ValidationIssue[] | undefined) =>
  new DomainError(
    'idempotency_key_reused',
    `This Idempotency-Key ${done} from a different request. Use a new key for a new request.`,
    errors && { errors },
  );

/** Names the fields of issues, for the detail of a problem. */
export const fieldNames = (issues: readonly ValidationIssue[]): string =>
  issues.map(({ path }) => path.slice(1)).join(', ');
