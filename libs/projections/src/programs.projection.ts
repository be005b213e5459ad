import type { AccountId, ProgramId } from '@refledger/contracts';
import { listedBy } from './indexes.js';
import type { Projection } from './projection.js';

/**
 * The programs of every account. Clients choose program ids, so the id of a document contains the
 * account too.
 */
export const programsProjection: Projection = {
  name: 'programs',
  version: 1,
  collections: [{ name: 'programs', indexes: [listedBy([])] }],
  keysOf: (event) =>
    event.type === 'program.registered'
      ? [
          {
            collection: 'programs',
            id: programKey(event.metadata.account_id as AccountId, event.data.program_id),
          },
        ]
      : [],
  evolve: (document, event) =>
    event.type === 'program.registered'
      ? (document ?? registered(event.data.program_id, event.metadata))
      : undefined,
};

/** A registered program. */
export interface ProgramDocument {
  readonly account_id: AccountId;
  readonly id: ProgramId;
  readonly created_at: string;
}

/** The id of a program's document. */
export const programKey = (account: AccountId, program: ProgramId): string =>
  `${account}/${program}`;

const registered = (
  id: ProgramId,
  metadata: { account_id: string | null; recorded_at: string },
): ProgramDocument & Record<string, unknown> => ({
  account_id: metadata.account_id as AccountId,
  id,
  created_at: metadata.recorded_at,
});
