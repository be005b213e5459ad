import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@refledger/contracts';
import type {
  AffiliateEvent,
  AffiliateFields,
  AffiliateId,
  AffiliateRecord,
  AffiliateStatus,
  Approval,
  UpdateAffiliate,
} from '@refledger/contracts';
import { touched, type Decider, type EventMeta } from '../decider.js';
import { differences, keyReused } from '../differences.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { fieldsOf, newFields, patched, recipientOf } from './affiliate-fields.js';
import { normalized, type NewAffiliate, type SentAffiliate } from './sent-affiliate.js';

/** An affiliate as folded from its events. */
export type AffiliateState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'present' | 'deleted';
      readonly record: AffiliateRecord;
      readonly asCreated: NewAffiliate;
      /** The revision that last changed the recipient. */
      readonly payeeRevision: number;
    };

export type AffiliateCommand =
  | ({
      readonly type: 'create';
      readonly affiliate_id: AffiliateId;
      /**
       * The policy of its program; not part of the request, so it is ignored when a repeated
       * request is compared.
       */
      readonly approval: Approval;
    } & SentAffiliate)
  | { readonly type: 'update'; readonly affiliate_id: AffiliateId; readonly patch: UpdateAffiliate }
  | { readonly type: 'delete'; readonly affiliate_id: AffiliateId };

/** The whole life of an affiliate. A claim has already ensured that its email is free. */
export const affiliateDecider: Decider<AffiliateCommand, AffiliateState, AffiliateEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'create':
        return create(command, state);
      case 'update':
        return update(command.patch, requireExisting(state, command.affiliate_id));
      case 'delete':
        return [deleted(requireExisting(state, command.affiliate_id))];
    }
  },

  evolve(state, event, at) {
    switch (event.type) {
      case 'affiliate.created':
        return created(event.data, at);
      case 'affiliate.approved':
        return changed(state, { ...event.data.after, approved_at: at.recordedAt }, at);
      case 'affiliate.updated':
      case 'affiliate.rejected':
      case 'affiliate.suspended':
        return changed(state, event.data.after, at);
      case 'affiliate.deleted':
        return state.kind === 'none'
          ? state
          : { ...state, kind: 'deleted', record: { ...state.record, ...touched(at) } };
    }
  },
};

type AffiliateCreated = Extract<AffiliateEvent, { type: 'affiliate.created' }>;

/** The statuses that may follow each status. A patch to the current status is not a transition. */
const following: Record<AffiliateStatus, readonly Exclude<AffiliateStatus, 'pending'>[]> = {
  pending: ['approved', 'rejected'],
  approved: ['suspended'],
  rejected: ['approved'],
  suspended: ['approved'],
};

const create = (
  command: Extract<AffiliateCommand, { type: 'create' }>,
  state: AffiliateState,
): AffiliateEvent[] => {
  const { affiliate_id } = command;
  const sent = normalized(command);
  if (state.kind === 'none') {
    const { program_id, ...fields } = sent;
    const about = { affiliate_id, program_id };
    const after = newFields(fields);
    const created = { type: 'affiliate.created', data: { ...about, after } } as const;
    return command.approval === 'manual' ? [created] : [created, approved(about, after)];
  }
  const errors = differences(sent, state.asCreated);
  if (errors.length === 0) return [];
  // nothing of a deleted affiliate is shown
  const shown = state.kind === 'present' ? errors : undefined;
  throw keyReused(`created affiliate ${affiliate_id}`, shown);
};

const approved = (
  about: Pick<AffiliateCreated['data'], 'affiliate_id' | 'program_id'>,
  before: AffiliateFields,
): AffiliateEvent => ({
  type: 'affiliate.approved',
  data: { ...about, before, after: { ...before, status: 'approved' } },
});

const update = (patch: UpdateAffiliate, record: AffiliateRecord): AffiliateEvent[] => {
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
  record: AffiliateRecord,
): Exclude<AffiliateStatus, 'pending'> => {
  const next = following[record.status].find((possible) => possible === status);
  if (next !== undefined) return next;
  throw new DomainError(
    'invalid_transition',
    `Affiliate ${record.id} is ${record.status} and cannot become ${status}. It can become ${following[record.status].join(' or ')}.`,
  );
};

const deleted = (record: AffiliateRecord): AffiliateEvent => ({
  type: 'affiliate.deleted',
  data: { affiliate_id: record.id, program_id: record.program_id, before: fieldsOf(record) },
});

const requireExisting = (state: AffiliateState, id: AffiliateId): AffiliateRecord => {
  if (state.kind === 'present') return state.record;
  throw new DomainError(
    'not_found',
    state.kind === 'none'
      ? `There is no affiliate ${id}. Check the id.`
      : `Affiliate ${id} was deleted. Use another affiliate.`,
  );
};

const created = (
  { affiliate_id, program_id, after }: AffiliateCreated['data'],
  at: EventMeta,
): AffiliateState => ({
  kind: 'present',
  // the fields are in the order of the contract, so that a webhook's body reads like a response
  record: {
    id: affiliate_id,
    object: 'affiliate',
    email: after.email,
    external_id: after.external_id,
    name: after.name,
    program_id,
    status: after.status,
    commission: after.commission,
    commission_version: after.commission_version,
    payout_email: after.payout_email,
    payout_hold: after.payout_hold,
    payout_hold_reason: after.payout_hold_reason,
    metadata: after.metadata,
    reason: after.reason,
    created_at: at.recordedAt,
    updated_at: at.recordedAt,
    approved_at: null,
    revision: at.revision,
  },
  asCreated: normalized({ program_id, ...after }),
  payeeRevision: at.revision,
});

const changed = (
  state: AffiliateState,
  change: Partial<AffiliateRecord>,
  at: EventMeta,
): AffiliateState => {
  if (state.kind === 'none') return state;
  const record = { ...state.record, ...change, ...touched(at) };
  const isSamePayee = recipientOf(record) === recipientOf(state.record);
  return { ...state, record, payeeRevision: isSamePayee ? state.payeeRevision : at.revision };
};
