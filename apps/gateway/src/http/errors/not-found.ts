import { DomainError } from '@refledger/contracts';

/** The error for a record that does not exist, or that the caller must not know about. */
export const notFound = (kind: string, id: string): DomainError =>
  new DomainError(
    'not_found',
    `There is no ${kind} ${JSON.stringify(id.slice(0, 100))}. Check the id.`,
  );
