import { accountOf, type AccountId, type ProgramId } from '@refledger/contracts';
import { listedBy, projectionOf } from './projection.js';

/**
 * The programs of every account. Clients choose program ids, so the id of a document contains the
 * account too.
 */
export const programsProjection = projectionOf<'program', ProgramDocument>(['program'], {
  name: 'programs',
  version: 2,
  collections: [{ name: 'programs', indexes: [listedBy([])] }],
  keysOf: (event) => [
    { collection: 'programs', id: programKey(accountOf(event), event.data.program_id) },
  ],
  evolve: (document, event) =>
    document ?? {
      account_id: accountOf(event),
      id: event.data.program_id,
      created_at: event.metadata.recorded_at,
    },
});

/** A registered program. */
type ProgramDocument = {
  readonly account_id: AccountId;
  readonly id: ProgramId;
  readonly created_at: string;
};

/** The id of a program's document. */
export const programKey = (account: AccountId, program: ProgramId): string =>
  `${account}/${program}`;
