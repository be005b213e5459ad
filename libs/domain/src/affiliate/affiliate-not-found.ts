import { DomainError, type ProgramId } from '@refledger/contracts';

/** The refusal of a request that names an affiliate of another account, or of another program. */
export const affiliateNotFound = (id: string, program?: ProgramId): DomainError =>
  new DomainError(
    'affiliate_not_found',
    `affiliate_id ${JSON.stringify(id)} is not an affiliate of ${program === undefined ? 'this account' : `program ${program}`}. Send the id of one that exists.`,
  );
