import { isDeepStrictEqual } from 'node:util';
import {
  DomainError,
  toInstant,
  validationError,
  type NewPayout,
  type PayoutEvent,
  type PayoutFields,
  type PayoutId,
  type PayoutRecord,
  type PayoutStatus,
  type UpdatePayout,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { requireRevisionLeft } from '../revision-limit.js';
import { payoutAfter, type PayoutCreated } from './payout-record.js';
import { asSent, normalised } from './sent-payout.js';

/** A payout as folded from its events. */
export type PayoutState = { readonly kind: 'none' } | PresentPayout;

interface PresentPayout {
  readonly kind: 'present';
  readonly record: PayoutRecord;
  /** The data of its first event. */
  readonly created: PayoutCreated['data'];
}

/** What can be requested of a payout. It begins with the event that its reservation holds. */
export interface UpdatePayoutCommand {
  readonly payout_id: PayoutId;
  readonly patch: UpdatePayout;
  /** When the change is recorded. */
  readonly recordedAt: string;
}

/** The life of a payout from its creation on. */
export const payoutDecider: Decider<UpdatePayoutCommand, PayoutState, PayoutEvent> = {
  initial: { kind: 'none' },

  decide({ payout_id, patch, recordedAt }, state) {
    if (state.kind === 'none')
      throw new DomainError('not_found', `There is no payout ${payout_id}. Check the id.`);
    return updated(patch, state, recordedAt);
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = payoutAfter(before?.record, event, at);
    const created = event.type === 'payout.created' ? event.data : before?.created;
    return record && created ? { kind: 'present', record, created } : state;
  },
};

/** Throws `idempotency_key_reused` unless a request is the one that created the payout. */
export const requireSamePayout = (sent: NewPayout, { record, created }: PresentPayout): void => {
  if (isDeepStrictEqual(normalised(sent), asSent(created))) return;
  throw new DomainError(
    'idempotency_key_reused',
    `This Idempotency-Key created payout ${record.id} from a different request. Use a new key for a new request.`,
  );
};

/** The statuses that may follow each status. A patch to the current status is not a transition. */
const following: Record<PayoutStatus, readonly Exclude<PayoutStatus, 'created'>[]> = {
  created: ['processing', 'completed', 'failed', 'canceled'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
  canceled: [],
};

const updated = (
  patch: UpdatePayout,
  { record, created }: PresentPayout,
  recordedAt: string,
): PayoutEvent[] => {
  checkCompletedAt(patch, recordedAt);
  const { status: wanted = record.status } = patch;
  const status = wanted === record.status ? undefined : allowed(wanted, record);
  const before = fieldsOf(record);
  const changes = {
    reference: referenceAfter(patch, record),
    metadata: patch.metadata ?? before.metadata,
  };
  const data = { ...aboutOf(created), before };
  if (status === undefined) {
    const after = { ...before, ...changes };
    if (isDeepStrictEqual(after, before)) return [];
    requireRevisionLeft(record);
    return [{ type: 'payout.updated', data: { ...data, after } }];
  }
  const reason = patch.reason ?? null;
  const completed_at = completedAt(status, { patch, before, recordedAt });
  const turned = { ...data, after: { ...before, ...changes, status, reason, completed_at } };
  return status === 'failed' || status === 'canceled'
    ? [{ type: `payout.${status}`, data: { ...turned, buckets: created.buckets } }]
    : [{ type: `payout.${status}`, data: turned }];
};

const completedAt = (
  status: PayoutStatus,
  {
    patch,
    before,
    recordedAt,
  }: {
    readonly patch: UpdatePayout;
    readonly before: PayoutFields;
    readonly recordedAt: string;
  },
): string | null =>
  status === 'completed' ? timeOf(patch.completed_at ?? recordedAt) : before.completed_at;

/** Returns the status of a patch. Throws `invalid_transition` when it may not follow. */
const allowed = (status: PayoutStatus, record: PayoutRecord): Exclude<PayoutStatus, 'created'> => {
  const possible = following[record.status];
  const next = possible.find((candidate) => candidate === status);
  if (next !== undefined) return next;
  const advice =
    possible.length === 0
      ? 'Its lines are open again: make another payout.'
      : `It can become ${possible.join(' or ')}.`;
  throw new DomainError(
    'invalid_transition',
    `Payout ${record.id} is ${record.status} and cannot become ${status}. ${advice}`,
  );
};

/** Throws `invalid_transition` when the payout has ended without payment. */
const referenceAfter = ({ reference }: UpdatePayout, record: PayoutRecord): string | null => {
  if (reference === undefined || reference === record.reference) return record.reference;
  if (following[record.status].length > 0) return reference;
  throw new DomainError(
    'invalid_transition',
    `Payout ${record.id} is ${record.status}, so its reference cannot change. Leave it out.`,
  );
};

/** Throws `validation_failed` for a time that is ahead, or that comes without its status. */
const checkCompletedAt = (
  { status, completed_at: sent }: UpdatePayout,
  recordedAt: string,
): void => {
  if (sent === undefined) return;
  if (status !== 'completed')
    throw invalidTime(
      'without_completed',
      'completed_at is accepted only together with status completed. Send that as well, or leave it out.',
    );
  if (timeOf(sent) > recordedAt)
    throw invalidTime(
      'too_late',
      `completed_at must not be after the current time, ${recordedAt}, but was ${sent}. Send an earlier time, or leave it out.`,
    );
};

/** In UTC, with milliseconds. */
const timeOf = (sent: string): string => toInstant(Date.parse(sent));

const invalidTime = (code: string, message: string): DomainError =>
  validationError([{ path: '/completed_at', code, message }]);

const fieldsOf = ({
  status,
  reference,
  reason,
  metadata,
  completed_at,
}: PayoutRecord): PayoutFields => ({ status, reference, reason, metadata, completed_at });

const aboutOf = ({
  payout_id,
  affiliate_id,
  program_id,
  balance_id,
  run_id,
  payout_number,
  currency,
  amount,
}: PayoutCreated['data']) => ({
  payout_id,
  affiliate_id,
  program_id,
  balance_id,
  run_id,
  payout_number,
  currency,
  amount,
});
