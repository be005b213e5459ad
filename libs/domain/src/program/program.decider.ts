import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@refledger/contracts';
import type {
  NewProgram,
  ProgramEvent,
  ProgramFields,
  ProgramId,
  ProgramRecord,
  UpdateProgram,
} from '@refledger/contracts';
import { storedTerms } from '../commission/stored-terms.js';
import { touched, type Decider, type EventMeta } from '../decider.js';
import { differences, fieldNames, keyReused } from '../differences.js';
import { amountsByCurrency } from '../integers.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';

/** A program as folded from its events. */
export type ProgramState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'present';
      readonly record: ProgramRecord;
      /** Undefined if its first affiliate created it: then no request is a repetition. */
      readonly asRequested: ProgramFields | undefined;
      /** The revisions of the events that changed its terms: of version 1, version 2, and so on. */
      readonly termsRevisions: readonly number[];
    };

export type ProgramCommand =
  | {
      readonly type: 'create';
      readonly program_id: ProgramId;
      readonly program: NewProgram;
      /** Whether the client chose the id. Otherwise it follows from its `Idempotency-Key`. */
      readonly isIdChosen: boolean;
    }
  /** Creates a program with its first affiliate, if it does not exist. */
  | { readonly type: 'register'; readonly program_id: ProgramId }
  | { readonly type: 'update'; readonly program_id: ProgramId; readonly patch: UpdateProgram };

/** The whole life of a program of an account. */
export const programDecider: Decider<ProgramCommand, ProgramState, ProgramEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    const { program_id } = command;
    switch (command.type) {
      case 'create': {
        const after = newFields(command.program);
        if (state.kind === 'present') return repeated(command, after, state);
        return [{ type: 'program.created', data: { program_id, created_by: 'request', after } }];
      }
      case 'register': {
        if (state.kind === 'present') return [];
        const after = newFields({ name: program_id });
        const data = { program_id, created_by: 'first_affiliate', after } as const;
        return [{ type: 'program.created', data }];
      }
      case 'update':
        return update(command.patch, requireExisting(state, program_id));
    }
  },

  evolve(state, event, at) {
    switch (event.type) {
      case 'program.created': {
        const { program_id, created_by, after } = event.data;
        return {
          kind: 'present',
          record: createdRecord(program_id, after, at),
          asRequested: created_by === 'request' ? after : undefined,
          termsRevisions: after.terms_version > 0 ? [at.revision] : [],
        };
      }
      case 'program.updated': {
        if (state.kind === 'none') return state;
        const { before, after } = event.data;
        const { termsRevisions } = state;
        return {
          ...state,
          record: { ...state.record, ...after, ...touched(at) },
          termsRevisions:
            after.terms_version === before.terms_version
              ? termsRevisions
              : [...termsRevisions, at.revision],
        };
      }
    }
  },
};

/** Compares with the program as it was first requested, not with its current state. */
const repeated = (
  { program_id, isIdChosen }: Extract<ProgramCommand, { type: 'create' }>,
  wanted: ProgramFields,
  { asRequested }: Extract<ProgramState, { kind: 'present' }>,
): ProgramEvent[] => {
  const errors = asRequested && differences(sentFields(wanted), sentFields(asRequested));
  if (errors?.length === 0) return [];
  if (!isIdChosen) throw keyReused(`created program ${program_id}`, errors);
  throw new DomainError(
    'program_exists',
    `Program ${program_id} was created ${errors === undefined ? 'by its first affiliate' : `with other values of ${fieldNames(errors)}`}. Change it with PATCH, or choose another id.`,
    { program_id, ...(errors && { errors }) },
  );
};

/** The fields of a new program that a request can give. */
const sentFields = ({ status: _status, terms_version: _version, ...sent }: ProgramFields) => sent;

const update = (patch: UpdateProgram, record: ProgramRecord): ProgramEvent[] => {
  const before = fieldsOf(record);
  const after = patched(before, patch);
  if (isDeepStrictEqual(after, before)) return [];
  const isArchived = after.status === 'archived' && before.status !== 'archived';
  if (!isArchived) assertBelowRevisionLimit(record);
  const { reason = null } = patch;
  return [{ type: 'program.updated', data: { program_id: record.id, before, after, reason } }];
};

const requireExisting = (state: ProgramState, id: ProgramId): ProgramRecord => {
  if (state.kind === 'present') return state.record;
  throw new DomainError('not_found', `There is no program ${id}. Check the id.`);
};

/** Returns the fields of a new program, with the defaults of those that were not sent. */
const newFields = (program: NewProgram): ProgramFields => {
  const { affiliate_approval = 'manual', conversion_approval = 'manual', metadata = {} } = program;
  const terms = program.terms ? storedTerms(program.terms) : null;
  return {
    name: program.name.trim(),
    status: 'active',
    terms,
    terms_version: terms === null ? 0 : 1,
    affiliate_approval,
    conversion_approval,
    minimum_payout: amountsByCurrency(program.minimum_payout ?? {}),
    metadata,
  };
};

/** Returns the fields after a patch. */
const patched = (before: ProgramFields, patch: UpdateProgram): ProgramFields => ({
  name: patch.name?.trim() ?? before.name,
  status: patch.status ?? before.status,
  ...termsAfter(before, patch),
  affiliate_approval: patch.affiliate_approval ?? before.affiliate_approval,
  conversion_approval: patch.conversion_approval ?? before.conversion_approval,
  minimum_payout: patch.minimum_payout
    ? amountsByCurrency(patch.minimum_payout)
    : before.minimum_payout,
  metadata: patch.metadata ?? before.metadata,
});

/**
 * Returns the terms after a patch, with their version. Sending the same terms again makes no new
 * version.
 */
const termsAfter = (
  { terms, terms_version }: ProgramFields,
  patch: UpdateProgram,
): Pick<ProgramFields, 'terms' | 'terms_version'> => {
  const wanted = patch.terms ? storedTerms(patch.terms) : patch.terms;
  return wanted === undefined || isDeepStrictEqual(wanted, terms)
    ? { terms, terms_version }
    : { terms: wanted, terms_version: terms_version + 1 };
};

const fieldsOf = ({
  id: _id,
  object: _object,
  created_at: _createdAt,
  updated_at: _updatedAt,
  revision: _revision,
  ...fields
}: ProgramRecord): ProgramFields => fields;

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const createdRecord = (id: ProgramId, fields: ProgramFields, at: EventMeta): ProgramRecord => ({
  id,
  object: 'program',
  ...fields,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  revision: at.revision,
});
