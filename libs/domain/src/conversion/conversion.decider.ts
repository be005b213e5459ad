import { DomainError } from '@refledger/contracts';
import type {
  AffiliateRecord,
  ConversionEvent,
  ConversionFields,
  ConversionId,
  ConversionRecord,
  ConversionStatus,
  UpdateConversion,
} from '@refledger/contracts';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { touched, type Decider, type EventMeta } from '../decider.js';
import { requireRevisionLeft } from '../revision-limit.js';
import { sameMetadata } from '../same-metadata.js';
import { amount, normalised, sameSale, type Sale } from './sale.js';

export type ConversionState =
  | { readonly kind: 'none' }
  | { readonly kind: 'recorded'; readonly record: ConversionRecord; readonly asRecorded: Sale };

export type ConversionCommand =
  /**
   * `affiliate` is the state of the affiliate that the sale names. It is `none` as well when the
   * affiliate belongs to another account.
   */
  | ({
      readonly type: 'record';
      readonly conversion_id: ConversionId;
      readonly affiliate: AffiliateState;
    } & Sale)
  | {
      readonly type: 'update';
      readonly conversion_id: ConversionId;
      readonly patch: UpdateConversion;
    };

/** Returns the record as the API shows it; undefined when there is no conversion. */
export const conversionRecord = (state: ConversionState): ConversionRecord | undefined =>
  state.kind === 'recorded' ? state.record : undefined;

/** The whole life of a conversion. */
export const conversionDecider: Decider<ConversionCommand, ConversionState, ConversionEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'record':
        return state.kind === 'none' ? [recorded(command)] : repeated(command, state.asRecorded);
      case 'update':
        return update(command.patch, existing(state, command.conversion_id));
    }
  },

  evolve(state, event, at) {
    switch (event.type) {
      case 'conversion.created':
        return created(event.data, at);
      case 'conversion.approved':
        return changed(state, { ...event.data.after, approved_at: at.recordedAt }, at);
      case 'conversion.updated':
      case 'conversion.rejected':
      case 'conversion.refunded':
        return changed(state, event.data.after, at);
    }
  },
};

type RecordCommand = Extract<ConversionCommand, { type: 'record' }>;
type CreatedData = Extract<ConversionEvent, { type: 'conversion.created' }>['data'];

/** The statuses that may follow each status. A patch to the present status is not a transition. */
const following: Record<ConversionStatus, readonly ConversionStatus[]> = {
  pending: ['approved', 'rejected'],
  approved: ['rejected', 'refunded'],
  rejected: ['approved'],
  refunded: ['approved'],
};

const recorded = (command: RecordCommand): ConversionEvent => {
  const affiliate = active(command.affiliate, command.affiliate_id);
  const { sale_amount, sale_currency, external_transaction_id, metadata } = normalised(command);
  return {
    type: 'conversion.created',
    data: {
      conversion_id: command.conversion_id,
      affiliate_id: affiliate.id,
      program_id: affiliate.program_id,
      sale_currency,
      external_transaction_id,
      after: { status: 'pending', sale_amount, commission_amount: 0, reason: null, metadata },
    },
  };
};

/** Compares with the sale as first recorded, before any rule: a changed affiliate does not matter. */
const repeated = (command: RecordCommand, first: Sale): ConversionEvent[] => {
  if (sameSale(normalised(command), first)) return [];
  const { conversion_id, external_transaction_id } = command;
  if (external_transaction_id === null)
    throw new DomainError(
      'idempotency_key_reused',
      `This Idempotency-Key created conversion ${conversion_id} from a different request. Use a new key for a new request.`,
    );
  throw new DomainError(
    'conversion_exists',
    `external_transaction_id ${JSON.stringify(external_transaction_id)} belongs to conversion ${conversion_id}, which was recorded with different fields. Send the same fields, or another id.`,
    { conversion_id },
  );
};

const update = (patch: UpdateConversion, record: ConversionRecord): ConversionEvent[] => {
  const before = fieldsOf(record);
  const after = patched(before, patch);
  const data = { ...aboutOf(record), before, after };
  requireAmountFree(record, after);
  if (patch.status === undefined || patch.status === before.status) {
    if (sameFields(after, before)) return [];
    requireRevisionLeft(record);
    return [{ type: 'conversion.updated', data }];
  }
  requireAllowed(patch.status, record);
  if (patch.status === 'approved') requireRevisionLeft(record);
  return [
    {
      type: `conversion.${patch.status}`,
      data: { ...data, after: { ...after, status: patch.status, reason: patch.reason ?? null } },
    },
  ];
};

/** Throws `invalid_transition` when a patch changes the amount after the pending status. */
const requireAmountFree = (record: ConversionRecord, after: ConversionFields): void => {
  if (after.sale_amount === record.sale_amount || record.status === 'pending') return;
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is ${record.status}. sale_amount can be changed only while it is pending.`,
  );
};

/** Throws `invalid_transition` when the status may not follow the present one. */
const requireAllowed = (status: ConversionStatus, record: ConversionRecord): void => {
  if (following[record.status].includes(status)) return;
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is ${record.status} and cannot become ${status}. It can become ${following[record.status].join(' or ')}.`,
  );
};

const active = (affiliate: AffiliateState, id: string): AffiliateRecord => {
  if (affiliate.kind !== 'present')
    throw new DomainError(
      'affiliate_not_found',
      `affiliate_id ${JSON.stringify(id)} is not an affiliate of this account. Send the id of one that exists.`,
    );
  const { record } = affiliate;
  if (record.status === 'rejected' || record.status === 'suspended')
    throw new DomainError(
      'affiliate_not_active',
      `Affiliate ${record.id} is ${record.status} and cannot receive new conversions. Approve it first.`,
    );
  return record;
};

const existing = (state: ConversionState, id: ConversionId): ConversionRecord => {
  if (state.kind === 'none')
    throw new DomainError('not_found', `There is no conversion ${id}. Check the id.`);
  return state.record;
};

/** Returns the fields after a patch, except its status and reason. */
const patched = (before: ConversionFields, patch: UpdateConversion): ConversionFields => ({
  ...before,
  sale_amount: patch.sale_amount === undefined ? before.sale_amount : amount(patch.sale_amount),
  metadata: patch.metadata ?? before.metadata,
});

/** Whether the fields that a client can change without a change of status are the same. */
const sameFields = (a: ConversionFields, b: ConversionFields): boolean =>
  a.sale_amount === b.sale_amount && sameMetadata(a.metadata, b.metadata);

const fieldsOf = ({
  status,
  sale_amount,
  commission_amount,
  reason,
  metadata,
}: ConversionRecord): ConversionFields => ({
  status,
  sale_amount,
  commission_amount,
  reason,
  metadata,
});

const aboutOf = ({
  id,
  affiliate_id,
  program_id,
  sale_currency,
  external_transaction_id,
}: ConversionRecord) => ({
  conversion_id: id,
  affiliate_id,
  program_id,
  sale_currency,
  external_transaction_id,
});

const created = (
  { conversion_id, after, ...about }: CreatedData,
  at: EventMeta,
): ConversionState => ({
  kind: 'recorded',
  // the fields are in the order of the contract, so that a webhook's body reads like an answer
  record: {
    id: conversion_id,
    object: 'conversion',
    affiliate_id: about.affiliate_id,
    program_id: about.program_id,
    status: after.status,
    sale_amount: after.sale_amount,
    sale_currency: about.sale_currency,
    commission_amount: after.commission_amount,
    external_transaction_id: about.external_transaction_id,
    metadata: after.metadata,
    reason: after.reason,
    payout_id: null,
    created_at: at.recordedAt,
    updated_at: at.recordedAt,
    approved_at: null,
    revision: at.revision,
  },
  asRecorded: {
    affiliate_id: about.affiliate_id,
    sale_amount: after.sale_amount,
    sale_currency: about.sale_currency,
    external_transaction_id: about.external_transaction_id,
    metadata: after.metadata,
  },
});

const changed = (
  state: ConversionState,
  change: Partial<ConversionRecord>,
  at: EventMeta,
): ConversionState =>
  state.kind === 'none'
    ? state
    : { ...state, record: { ...state.record, ...change, ...touched(at) } };
