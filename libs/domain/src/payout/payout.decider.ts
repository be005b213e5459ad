import { isDeepStrictEqual } from 'node:util';
import {
  DomainError,
  type NewPayout,
  type PayoutEvent,
  type PayoutFields,
  type PayoutId,
  type PayoutRecord,
  type PayoutStatus,
  type UpdatePayout,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { differences, keyReused } from '../differences.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { completionTime } from './completion-time.js';
import { payoutAfter, type PayoutCreated } from './payout-record.js';
import { asSent, normalized } from './sent-payout.js';

/** A payout as folded from its events. */
export type PayoutState = { readonly kind: 'none' } | PresentPayout;

interface PresentPayout {
  readonly kind: 'present';
  readonly record: PayoutRecord;
  /** The data of its first event. */
  readonly created: PayoutCreated['data'];
  /** The numbers of the marks of its run that changed it. */
  readonly marks: readonly number[];
  /** How many events have changed its status. They do not count toward the revision limit. */
  readonly statusEvents: number;
}

/** The commands of a payout. The payout itself starts with the event that its reservation holds. */
export interface UpdatePayoutCommand {
  readonly payout_id: PayoutId;
  readonly patch: UpdatePayout;
  /** When the change is recorded. */
  readonly recordedAt: string;
  /** The number of the mark of its run that asks for it. */
  readonly mark?: number;
}

/** The life of a payout from its creation on. */
export const payoutDecider: Decider<UpdatePayoutCommand, PayoutState, PayoutEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    if (state.kind === 'none')
      throw new DomainError('not_found', `There is no payout ${command.payout_id}. Check the id.`);
    return updated(command, state);
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = payoutAfter(before?.record, event, at);
    const created = event.type === 'payout.created' ? event.data : before?.created;
    if (record === undefined || created === undefined) return state;
    return { kind: 'present', record, created, ...countsAfter(before, event) };
  },
};

const isStatusEvent = ({ type }: PayoutEvent): boolean =>
  type !== 'payout.created' && type !== 'payout.updated';

/** Throws `idempotency_key_reused` unless a request is the one that created the payout. */
export const requireSamePayout = (sent: NewPayout, { record, created }: PresentPayout): void => {
  const errors = differences(normalized(sent), asSent(created));
  if (errors.length === 0) return;
  throw keyReused(`created payout ${record.id}`, errors);
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
  command: UpdatePayoutCommand,
  { record, created, statusEvents }: PresentPayout,
): PayoutEvent[] => {
  const { patch, recordedAt, mark } = command;
  const time = sentTime(command);
  const { status: wanted = record.status } = patch;
  const status = wanted === record.status ? undefined : allowed(wanted, record);
  const before = fieldsOf(record);
  const changes = {
    reference: referenceAfter(patch, record),
    metadata: patch.metadata ?? before.metadata,
  };
  const data = { ...aboutOf(created), mark: mark ?? null, before };
  if (status === undefined) {
    const after = { ...before, ...changes };
    if (isDeepStrictEqual(after, before)) return [];
    assertBelowRevisionLimit(record, statusEvents);
    return [{ type: 'payout.updated', data: { ...data, after } }];
  }
  const reason = patch.reason ?? null;
  const completed_at = status === 'completed' ? (time ?? recordedAt) : before.completed_at;
  const after = { ...before, ...changes, status, reason, completed_at };
  return [turned(status, { ...data, after }, created)];
};

/**
 * The time of a mark was accepted with the mark, and holds even if the clock was set back since.
 */
const sentTime = ({ patch, recordedAt, mark }: UpdatePayoutCommand): string | undefined =>
  mark === undefined ? completionTime(patch, recordedAt) : patch.completed_at;

const turned = (
  status: Exclude<PayoutStatus, 'created'>,
  data: Extract<PayoutEvent, { type: 'payout.updated' }>['data'],
  { buckets }: PayoutCreated['data'],
): PayoutEvent =>
  status === 'failed' || status === 'canceled'
    ? { type: `payout.${status}`, data: { ...data, buckets } }
    : { type: `payout.${status}`, data };

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
    `Payout ${record.id} is ${record.status}, so its reference cannot change. Omit it.`,
  );
};

const countsAfter = (
  before: Pick<PresentPayout, 'marks' | 'statusEvents'> | undefined,
  event: PayoutEvent,
): Pick<PresentPayout, 'marks' | 'statusEvents'> => {
  const { marks, statusEvents } = before ?? { marks: [], statusEvents: 0 };
  const mark = event.type === 'payout.created' ? null : event.data.mark;
  return {
    marks: mark === null ? marks : [...marks, mark],
    statusEvents: statusEvents + (isStatusEvent(event) ? 1 : 0),
  };
};

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
