import {
  accountOf,
  programList,
  type AccountId,
  type ProgramId,
  type ProgramRecord,
} from '@refledger/contracts';
import { metaOf, programDecider, programRecord, type ProgramState } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/**
 * The programs of every account, as the API lists them. Clients choose program ids, so the id of a
 * document contains the account too.
 */
export const programsProjection = projectionOf<'program', ProgramDocument>(['program'], {
  name: 'programs',
  version: 4,
  collections: [{ name: 'programs', indexes: indexesOf(programList) }],
  keysOf: (event) => [
    {
      collection: 'programs',
      id: programKey(accountOf(event), event.data.program_id),
      begins: event.type !== 'program.updated',
    },
  ],
  evolve: (document, event) => {
    const record = programRecord(programDecider.evolve(stateOf(document), event, metaOf(event)));
    return record && { account_id: accountOf(event), has_terms: record.terms !== null, record };
  },
});

interface ProgramDocument extends RecordDocument<ProgramRecord> {
  readonly has_terms: boolean;
}

/** The id of a program's document. */
export const programKey = (account: AccountId, program: ProgramId): string =>
  `${account}/${program}`;

/** The record is enough: the rest of the state serves decisions and single programs. */
const stateOf = (document: ProgramDocument | undefined): ProgramState =>
  document === undefined
    ? programDecider.initial
    : { kind: 'present', record: document.record, asRequested: undefined, termsRevisions: [] };
