import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@refledger/contracts';
import type {
  AdjustmentEvent,
  AdjustmentFields,
  AdjustmentId,
  AdjustmentRecord,
  UpdateAdjustment,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { differences, fieldNames, keyReused } from '../differences.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { adjustmentAfter, type AdjustmentCreated } from './adjustment-record.js';
import { newAdjustment, type CreateAdjustment } from './new-adjustment.js';
import { asSent, normalized } from './sent-adjustment.js';

/** An adjustment as folded from its events. */
export type AdjustmentState = { readonly kind: 'none' } | PresentAdjustment;

interface PresentAdjustment {
  readonly kind: 'present';
  readonly record: AdjustmentRecord;
  /** The data of its first event. */
  readonly created: AdjustmentCreated['data'];
}

export type AdjustmentCommand =
  | CreateAdjustment
  | {
      readonly type: 'update';
      readonly adjustment_id: AdjustmentId;
      readonly patch: UpdateAdjustment;
    };

/** The whole life of an adjustment: a bonus or a deduction, which can be voided once. */
export const adjustmentDecider: Decider<AdjustmentCommand, AdjustmentState, AdjustmentEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'create':
        return state.kind === 'none' ? [newAdjustment(command)] : repeated(command, state);
      case 'update':
        return updated(command.patch, requireExisting(state, command.adjustment_id));
    }
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = adjustmentAfter(before?.record, event, at);
    const created = event.type === 'adjustment.created' ? event.data : before?.created;
    return record && created ? { kind: 'present', record, created } : state;
  },
};

/** Compares with the request that created it, before any rule applies. */
const repeated = (
  { adjustment_id, adjustment }: CreateAdjustment,
  { created }: PresentAdjustment,
): AdjustmentEvent[] => {
  const sent = normalized(adjustment);
  const errors = differences(sent, asSent(created));
  if (errors.length === 0) return [];
  if (sent.external_id === null) throw keyReused(`created adjustment ${adjustment_id}`, errors);
  throw new DomainError(
    'adjustment_exists',
    `external_id ${JSON.stringify(sent.external_id)} belongs to adjustment ${adjustment_id}, which was created with other values of ${fieldNames(errors)}. Send the same values, or another id.`,
    { adjustment_id, errors },
  );
};

/**
 * Returns the event of a patch; none when it changes nothing. Throws `invalid_transition` when it
 * would post a voided adjustment again.
 */
const updated = (
  patch: UpdateAdjustment,
  { record, created }: PresentAdjustment,
): AdjustmentEvent[] => {
  const { status = record.status } = patch;
  const isTurned = status !== record.status;
  if (isTurned && status === 'posted')
    throw new DomainError(
      'invalid_transition',
      `Adjustment ${record.id} is voided and cannot become posted. Create another adjustment.`,
    );
  const before = fieldsOf(record);
  const after: AdjustmentFields = {
    status,
    metadata: patch.metadata ?? before.metadata,
    reason: isTurned ? (patch.reason ?? null) : before.reason,
  };
  if (isDeepStrictEqual(after, before)) return [];
  if (!isTurned) assertBelowRevisionLimit(record);
  const { reported_payable_on: _sent, after: _first, ...about } = created;
  const type = isTurned ? 'adjustment.voided' : 'adjustment.updated';
  return [{ type, data: { ...about, before, after } }];
};

const requireExisting = (state: AdjustmentState, id: AdjustmentId): PresentAdjustment => {
  if (state.kind === 'present') return state;
  throw new DomainError('not_found', `There is no adjustment ${id}. Check the id.`);
};

const fieldsOf = ({ status, metadata, reason }: AdjustmentRecord): AdjustmentFields => ({
  status,
  metadata,
  reason,
});
