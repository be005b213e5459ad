import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@refledger/contracts';
import type {
  AffiliateFields,
  AffiliateId,
  OpenAffiliateRecord,
  AffiliateStatus,
  Approval,
  ProgramId,
  UpdateAffiliate,
} from '@refledger/contracts';
import { differences, keyReused } from '../differences.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { fieldsOf, newFields, patched } from './affiliate-fields.js';
import { normalized, type NewAffiliate, type SentAffiliate } from './sent-affiliate.js';

/** An affiliate with its personal values in the clear, as a decision about them needs it. */
export type OpenAffiliate =
  | { readonly kind: 'none' }
  | { readonly kind: 'erased' }
  | {
      readonly kind: 'present' | 'deleted';
      readonly record: OpenAffiliateRecord;
      readonly asCreated: NewAffiliate;
    };

/** An event as it is decided. Its personal values are sealed before it is recorded. */
export type OpenAffiliateEvent =
  | { readonly type: 'affiliate.created'; readonly data: AboutAffiliate & AfterEvent }
  | {
      readonly type: `affiliate.${'updated' | Exclude<AffiliateStatus, 'pending'>}`;
      readonly data: AboutAffiliate & AfterEvent & { readonly before: AffiliateFields };
    };

interface AboutAffiliate {
  readonly affiliate_id: AffiliateId;
  readonly program_id: ProgramId;
}

interface AfterEvent {
  readonly after: AffiliateFields;
}

/** A command that reads or sets personal values. */
export type ValuesCommand =
  | ({
      readonly type: 'create';
      readonly affiliate_id: AffiliateId;
      /**
       * The policy of its program; not part of the request, so it is ignored when a repeated
       * request is compared.
       */
      readonly approval: Approval;
    } & SentAffiliate)
  | {
      readonly type: 'update';
      readonly affiliate_id: AffiliateId;
      readonly patch: UpdateAffiliate;
    };

/**
 * Decides how an affiliate is created or changed. A claim ensures that its email is free before the
 * events are recorded.
 */
export const decideAffiliate = (
  command: ValuesCommand,
  state: OpenAffiliate,
): OpenAffiliateEvent[] => {
  switch (command.type) {
    case 'create':
      return create(command, state);
    case 'update':
      return update(command.patch, requireExisting(state, command.affiliate_id));
  }
};

/** The statuses that may follow each status. A patch to the current status is not a transition. */
const following: Record<AffiliateStatus, readonly Exclude<AffiliateStatus, 'pending'>[]> = {
  pending: ['approved', 'rejected'],
  approved: ['suspended'],
  rejected: ['approved'],
  suspended: ['approved'],
};

const create = (
  command: Extract<ValuesCommand, { type: 'create' }>,
  state: OpenAffiliate,
): OpenAffiliateEvent[] => {
  const { affiliate_id } = command;
  const sent = normalized(command);
  if (state.kind === 'none') {
    const { program_id, ...fields } = sent;
    const about = { affiliate_id, program_id };
    const after = newFields(fields);
    const created = { type: 'affiliate.created', data: { ...about, after } } as const;
    return command.approval === 'manual' ? [created] : [created, approved(about, after)];
  }
  if (state.kind === 'erased') throw affiliateErased(affiliate_id);
  const errors = differences(sent, state.asCreated);
  if (errors.length === 0) return [];
  // nothing of a deleted affiliate is shown
  const shown = state.kind === 'present' ? errors : undefined;
  throw keyReused(`created affiliate ${affiliate_id}`, shown);
};

/** The refusal of the request that created an affiliate which was erased since. */
export const affiliateErased = (affiliate_id: AffiliateId): DomainError =>
  new DomainError(
    'affiliate_erased',
    `This Idempotency-Key created affiliate ${affiliate_id}, which has since been erased. Use another Idempotency-Key to add the person again.`,
    { affiliate_id },
  );

const approved = (about: AboutAffiliate, before: AffiliateFields): OpenAffiliateEvent => ({
  type: 'affiliate.approved',
  data: { ...about, before, after: { ...before, status: 'approved' } },
});

const update = (patch: UpdateAffiliate, record: OpenAffiliateRecord): OpenAffiliateEvent[] => {
  const before = fieldsOf(record);
  const after = patched(before, patch);
  const data = { affiliate_id: record.id, program_id: record.program_id, before, after };
  if (patch.status === undefined || patch.status === before.status) {
    if (isDeepStrictEqual(after, before)) return [];
    assertBelowRevisionLimit(record);
    return [{ type: 'affiliate.updated', data }];
  }
  const status = allowed(patch.status, record);
  if (status === 'approved') assertBelowRevisionLimit(record);
  const decided = { ...after, status, reason: patch.reason ?? null };
  return [{ type: `affiliate.${status}`, data: { ...data, after: decided } }];
};

/**
 * Returns the status that a patch asks for. Throws `invalid_transition` when it may not follow the
 * current one.
 */
const allowed = (
  status: AffiliateStatus,
  record: OpenAffiliateRecord,
): Exclude<AffiliateStatus, 'pending'> => {
  const next = following[record.status].find((possible) => possible === status);
  if (next !== undefined) return next;
  throw new DomainError(
    'invalid_transition',
    `Affiliate ${record.id} is ${record.status} and cannot become ${status}. It can become ${following[record.status].join(' or ')}.`,
  );
};

/** Returns the record of an affiliate that exists. Throws `not_found`. */
export const requireExisting = <Record>(
  state:
    | { readonly kind: 'none' | 'deleted' | 'erased' }
    | { readonly kind: 'present'; readonly record: Record },
  id: AffiliateId,
): Record => {
  if (state.kind === 'present') return state.record;
  throw new DomainError(
    'not_found',
    state.kind === 'none'
      ? `There is no affiliate ${id}. Check the id.`
      : `Affiliate ${id} was deleted. Use another affiliate.`,
  );
};
