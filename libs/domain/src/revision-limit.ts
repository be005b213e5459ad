import { DomainError } from '@refledger/contracts';

/** With so many revisions a conversion or an affiliate takes no further change from a client. */
export const maxRevisions = 10_000;

/** Refuses a client's change of a record that has all its revisions. What ends it is not asked here. */
export const requireRevisionLeft = ({
  id,
  revision,
}: {
  readonly id: string;
  readonly revision: number;
}): void => {
  // revisions are counted from 0
  if (revision + 1 < maxRevisions) return;
  throw new DomainError(
    'too_many_revisions',
    `${id} has ${revision + 1} revisions and takes no further change. It can still be rejected, refunded, suspended or deleted.`,
  );
};
