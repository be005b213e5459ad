import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '@refledger/contracts';
import type {
  AdjustmentEvent,
  AdjustmentFields,
  AdjustmentId,
  AdjustmentRecord,
  UpdateAdjustment,
} from '@refledger/contracts';
import { touched, type Decider, type EventMeta } from '../decider.js';
import { requireRevisionLeft } from '../revision-limit.js';
import { newAdjustment, type CreateAdjustment } from './new-adjustment.js';
import { asSent, normalised, type AdjustmentCreated } from './sent-adjustment.js';

/** An adjustment as folded from its events. */
export type AdjustmentState = { readonly kind: 'none' } | PresentAdjustment;

interface PresentAdjustment {
  readonly kind: 'present';
  readonly record: AdjustmentRecord;
  /** The data of its first event. */
  readonly created: AdjustmentCreated['data'];
}

/** What can be requested of an adjustment. */
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
    switch (event.type) {
      case 'adjustment.created':
        return { kind: 'present', record: createdRecord(event.data, at), created: event.data };
      case 'adjustment.updated':
      case 'adjustment.voided':
        return state.kind === 'none'
          ? state
          : { ...state, record: { ...state.record, ...event.data.after, ...touched(at) } };
    }
  },
};

/** Compares with the request that created it, before any rule applies. */
const repeated = (
  { adjustment_id, adjustment }: CreateAdjustment,
  { created }: PresentAdjustment,
): AdjustmentEvent[] => {
  const sent = normalised(adjustment);
  if (isDeepStrictEqual(sent, asSent(created))) return [];
  if (sent.external_id === null)
    throw new DomainError(
      'idempotency_key_reused',
      `This Idempotency-Key created adjustment ${adjustment_id} from a different request. Use a new key for a new request.`,
    );
  throw new DomainError(
    'adjustment_exists',
    `external_id ${JSON.stringify(sent.external_id)} belongs to adjustment ${adjustment_id}, which was created with different fields. Send the same fields, or another id.`,
    { adjustment_id },
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
  if (!isTurned) requireRevisionLeft(record);
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

/** The fields are in the order of the contract, so that a webhook's body reads like a response. */
const createdRecord = (
  { adjustment_id, affiliate_id, program_id, after, ...details }: AdjustmentCreated['data'],
  at: EventMeta,
): AdjustmentRecord => ({
  id: adjustment_id,
  object: 'adjustment',
  affiliate_id,
  program_id,
  status: after.status,
  currency: details.currency,
  amount: details.amount,
  description: details.description,
  payable_on: details.payable_on,
  external_id: details.external_id,
  metadata: after.metadata,
  reason: after.reason,
  created_at: at.recordedAt,
  updated_at: at.recordedAt,
  revision: at.revision,
});
