import { DomainError } from '@refledger/contracts';

/**
 * The maximum number of revisions of a record. After that a client can only reject, refund,
 * suspend, archive, void or delete it, or end it. The events that the ledger adds to a conversion,
 * the statuses of a payout, and the marks and the end of a payout run do not count.
 */
export const maxRevisions = 10_000;

/**
 * Throws `too_many_revisions` when a record has reached `maxRevisions`. A change that rejects,
 * refunds, suspends, archives, voids or deletes the record is not checked.
 */
export const assertBelowRevisionLimit = (
  { id, revision }: { readonly id: string; readonly revision: number },
  uncounted = 0,
): void => {
  // the first revision is 0
  if (revision + 1 - uncounted < maxRevisions) return;
  throw new DomainError(
    'too_many_revisions',
    `${id} has ${revision + 1} revisions and accepts no more changes. It can still be rejected, refunded, suspended, archived, voided, completed, failed, canceled or deleted.`,
  );
};
