import { isDeepStrictEqual } from 'node:util';
import { keysOf, type ValidationIssue } from '@refledger/contracts';

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

/** Names the fields of issues, for the detail of a problem. */
export const fieldNames = (issues: readonly ValidationIssue[]): string =>
  issues.map(({ path }) => path.slice(1)).join(', ');
