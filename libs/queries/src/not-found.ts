import { DomainError, type Position } from '@refledger/contracts';

/** The error for a record that does not exist, or that the caller must not know about. */
export const notFound = (kind: string, id: string): DomainError =>
  new DomainError(
    'not_found',
    `There is no ${kind} ${JSON.stringify(id.slice(0, 100))}. Check the id.`,
  );

/**
 * The error for a record of the caller's account that did not exist yet at this position. An
 * undefined position is before the beginning of the log.
 */
export const notFoundAt = (kind: string, id: string, position: Position | undefined): DomainError =>
  new DomainError(
    'not_found',
    `There was no ${kind} ${JSON.stringify(id)} ${position === undefined ? 'before the event log started' : `yet at position ${position}`}. Send a later as_of.`,
  );
