import { isDeepStrictEqual } from 'node:util';
import {
  DomainError,
  type MarkStatus,
  type NewPayoutRun,
  type PayoutRunEvent,
  type PayoutRunFields,
  type PayoutRunRecord,
  type Position,
  type RunId,
  type SkippedBalances,
  type UpdatePayoutRun,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { completionTime } from '../payout/completion-time.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { payoutRunAfter, type PayoutRunStarted } from './payout-run-record.js';
import { normalizedRun, requireSameRun, runTerms } from './sent-run.js';

/** A payout run as folded from its events. */
export type PayoutRunState = { readonly kind: 'none' } | PresentPayoutRun;

export interface PresentPayoutRun {
  readonly kind: 'present';
  readonly record: PayoutRunRecord;
  /** The data of its first event. */
  readonly started: PayoutRunStarted['data'];
  /** The changes requested of all its payouts, in the order of the record's marks. */
  readonly marks: readonly Mark[];
}

/** A change requested of all payouts of a run. */
export interface Mark {
  readonly status: MarkStatus;
  readonly reason: string | null;
  readonly completed_at: string | null;
}

/** The commands of a payout run. The last two are the ledger's. */
export type PayoutRunCommand = {
  readonly run_id: RunId;
  readonly recordedAt: string;
} & (
  | {
      readonly type: 'start';
      readonly run: NewPayoutRun;
      /** The end of the log when the run was asked for. */
      readonly position: Position;
    }
  | { readonly type: 'update'; readonly patch: UpdatePayoutRun }
  | {
      readonly type: 'finish';
      readonly created: number;
      readonly skipped: SkippedBalances;
      readonly totals: Extract<PayoutRunEvent, { type: 'payout_run.finished' }>['data']['totals'];
    }
  | {
      readonly type: 'mark_applied';
      /** The number of the mark, from 1. */
      readonly mark: number;
      readonly changed: number;
      readonly left: number;
    }
);

/** The life of a payout run: it pays, finishes, and then marks its payouts. */
export const payoutRunDecider: Decider<PayoutRunCommand, PayoutRunState, PayoutRunEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    if (command.type === 'start') return started(command, state);
    if (state.kind === 'none')
      throw new DomainError('not_found', `There is no payout run ${command.run_id}. Check the id.`);
    switch (command.type) {
      case 'update':
        return updated(command, state.record);
      case 'finish':
        return finished(command, state.record);
      case 'mark_applied':
        return markApplied(command, state.record);
    }
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = payoutRunAfter(before?.record, event, at);
    const data = event.type === 'payout_run.started' ? event.data : before?.started;
    if (record === undefined || data === undefined) return state;
    const marks = before?.marks ?? [];
    return {
      kind: 'present',
      record,
      started: data,
      marks: event.type === 'payout_run.marked' ? [...marks, markOf(event.data, record)] : marks,
    };
  },
};

type CommandOf<T extends PayoutRunCommand['type']> = Extract<PayoutRunCommand, { type: T }>;

const started = (
  { run_id, run, position, recordedAt }: CommandOf<'start'>,
  state: PayoutRunState,
): PayoutRunEvent[] => {
  if (state.kind === 'present') {
    requireSameRun(run, state.started);
    return [];
  }
  const { until: reported_until, description, metadata } = normalizedRun(run);
  const terms = { ...runTerms(run, recordedAt), reported_until };
  const after: PayoutRunFields = {
    status: 'running',
    payouts: { created: 0, skipped: null },
    marks: [],
    description,
    metadata,
    finished_at: null,
  };
  return [{ type: 'payout_run.started', data: { run_id, ...terms, position, after } }];
};

const updated = (
  { run_id, patch, recordedAt }: CommandOf<'update'>,
  record: PayoutRunRecord,
): PayoutRunEvent[] => {
  const { status, reason = null } = patch;
  const time = completionTime(patch, recordedAt);
  const before = fieldsOf(record);
  const described = {
    ...before,
    description: patch.description ?? before.description,
    metadata: patch.metadata ?? before.metadata,
  };
  if (status !== undefined) requireMarkable(status, record);
  // a second mark with the same status would find no payout that could still get it
  if (status === undefined || record.marks.some((mark) => mark.status === status)) {
    if (isDeepStrictEqual(described, before)) return [];
    assertBelowRevisionLimit(record, eventsOfLedger(record));
    return [{ type: 'payout_run.updated', data: { run_id, before, after: described } }];
  }
  const mark = { status, at: recordedAt, applied_at: null, changed: 0, left: 0 };
  const after = { ...described, marks: [...before.marks, mark] };
  const completed_at = status === 'completed' ? (time ?? recordedAt) : null;
  return [{ type: 'payout_run.marked', data: { run_id, reason, completed_at, before, after } }];
};

/**
 * How many of its events are marks, or were recorded by the ledger. They do not count toward the
 * revision limit.
 */
const eventsOfLedger = ({ status, marks }: PayoutRunRecord): number =>
  (status === 'finished' ? 1 : 0) +
  marks.reduce((sum, { applied_at }) => sum + (applied_at === null ? 1 : 2), 0);

/** Throws `invalid_transition` for a mark that only a finished run can get. */
const requireMarkable = (status: MarkStatus, { id, ...run }: PayoutRunRecord): void => {
  if (run.status === 'finished' || status === 'canceled') return;
  throw new DomainError(
    'invalid_transition',
    `Payout run ${id} is running, and its payouts cannot become ${status} yet. Wait until it is finished, or cancel it.`,
  );
};

const finished = (
  { run_id, recordedAt, created, skipped, totals }: CommandOf<'finish'>,
  record: PayoutRunRecord,
): PayoutRunEvent[] => {
  if (record.status === 'finished') return [];
  const before = fieldsOf(record);
  const after: PayoutRunFields = {
    ...before,
    status: 'finished',
    payouts: { created, skipped },
    finished_at: recordedAt,
  };
  return [{ type: 'payout_run.finished', data: { run_id, totals, before, after } }];
};

const markApplied = (
  { run_id, recordedAt, mark, changed, left }: CommandOf<'mark_applied'>,
  record: PayoutRunRecord,
): PayoutRunEvent[] => {
  const before = fieldsOf(record);
  if (before.marks[mark - 1]?.applied_at !== null) return [];
  const marks = before.marks.map((known, index) =>
    index === mark - 1 ? { ...known, applied_at: recordedAt, changed, left } : known,
  );
  return [
    { type: 'payout_run.mark_applied', data: { run_id, before, after: { ...before, marks } } },
  ];
};

const markOf = (
  { reason, completed_at }: Extract<PayoutRunEvent, { type: 'payout_run.marked' }>['data'],
  { marks }: PayoutRunRecord,
): Mark => {
  const status = marks.at(-1)?.status;
  if (status === undefined) throw new TypeError('a marked run has no mark');
  return { status, reason, completed_at };
};

const fieldsOf = ({
  status,
  payouts,
  marks,
  description,
  metadata,
  finished_at,
}: PayoutRunRecord): PayoutRunFields => ({
  status,
  payouts,
  marks,
  description,
  metadata,
  finished_at,
});
