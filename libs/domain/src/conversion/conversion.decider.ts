import { DomainError, normaliseCurrency } from '@refledger/contracts';
import type {
  AffiliateRecord,
  ConversionEvent,
  ConversionFields,
  ConversionId,
  ConversionRecord,
  ConversionStatus,
  Metadata,
  UpdateConversion,
} from '@refledger/contracts';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { touched, type Decider, type EventPlace } from '../decider.js';
import { requireRevisionLeft } from '../revision-limit.js';
import { sameMetadata } from '../same-metadata.js';

/** A sale as a client reported it. Amounts are in the currency's minor unit; the currency is in any case. */
export interface Sale {
  readonly affiliate_id: string;
  readonly sale_amount: number;
  readonly sale_currency: string;
  readonly external_transaction_id: string | null;
  readonly metadata: Metadata;
}

export type ConversionState =
  | { readonly kind: 'none' }
  | { readonly kind: 'recorded'; readonly record: ConversionRecord; readonly asRecorded: Sale };

export type ConversionCommand =
  /** `affiliate` is the state of the affiliate that the sale names; `none` too when it is another account's. */
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

/** The record as the API shows it; undefined when there is none. */
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

/** Which status may follow which; the same one again is no change. */
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

/** An existing sale is compared with how it was recorded, before any rule about the affiliate and whatever it has become since. */
const repeated = (command: RecordCommand, first: Sale): ConversionEvent[] => {
  if (sameSale(normalised(command), first)) return [];
  const { conversion_id, external_transaction_id } = command;
  if (external_transaction_id === null)
    throw new DomainError(
      'idempotency_key_reused',
      `this Idempotency-Key made conversion ${conversion_id} from another request; use a new key for a new request`,
    );
  throw new DomainError(
    'conversion_exists',
    `external_transaction_id ${JSON.stringify(external_transaction_id)} names conversion ${conversion_id}, which was recorded with other fields`,
    { conversion_id },
  );
};

const update = (patch: UpdateConversion, record: ConversionRecord): ConversionEvent[] => {
  const before = fieldsOf(record);
  const after: ConversionFields = {
    ...before,
    sale_amount: patch.sale_amount === undefined ? before.sale_amount : amount(patch.sale_amount),
    metadata: patch.metadata ?? before.metadata,
  };
  const data = { ...aboutOf(record), before, after };
  if (after.sale_amount !== before.sale_amount && before.status !== 'pending') {
    throw new DomainError(
      'invalid_transition',
      `sale_amount can be changed only while a conversion is pending; ${record.id} is ${before.status}`,
    );
  }
  if (patch.status === undefined || patch.status === before.status) {
    const same =
      after.sale_amount === before.sale_amount && sameMetadata(after.metadata, before.metadata);
    if (same) return [];
    requireRevisionLeft(record);
    return [{ type: 'conversion.updated', data }];
  }
  if (!following[before.status].includes(patch.status)) {
    throw new DomainError(
      'invalid_transition',
      `conversion ${record.id} is ${before.status} and cannot become ${patch.status}; from ${before.status} it can become ${following[before.status].join(' or ')}`,
    );
  }
  if (patch.status === 'approved') requireRevisionLeft(record);
  return [
    {
      type: `conversion.${patch.status}`,
      data: { ...data, after: { ...after, status: patch.status, reason: patch.reason ?? null } },
    },
  ];
};

const active = (affiliate: AffiliateState, id: string): AffiliateRecord => {
  if (affiliate.kind !== 'present')
    throw new DomainError(
      'affiliate_not_found',
      `affiliate_id ${JSON.stringify(id)} names no affiliate of this account`,
    );
  const { record } = affiliate;
  if (record.status === 'rejected' || record.status === 'suspended')
    throw new DomainError(
      'affiliate_not_active',
      `affiliate ${record.id} is ${record.status} and cannot be given new conversions`,
    );
  return record;
};

const existing = (state: ConversionState, id: ConversionId): ConversionRecord => {
  if (state.kind === 'none') throw new DomainError('not_found', `there is no conversion ${id}`);
  return state.record;
};

/** `-0` is a number of JSON too; it is 0. */
const amount = (value: number): number => value + 0;

const normalised = ({
  affiliate_id,
  sale_amount,
  sale_currency,
  external_transaction_id,
  metadata,
}: Sale): Sale => ({
  affiliate_id,
  sale_amount: amount(sale_amount),
  sale_currency: normaliseCurrency(sale_currency),
  external_transaction_id,
  metadata,
});

const sameSale = (a: Sale, b: Sale): boolean =>
  a.affiliate_id === b.affiliate_id &&
  a.sale_amount === b.sale_amount &&
  a.sale_currency === b.sale_currency &&
  a.external_transaction_id === b.external_transaction_id &&
  sameMetadata(a.metadata, b.metadata);

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
  at: EventPlace,
): ConversionState => ({
  kind: 'recorded',
  // the order of the fields is the contract's, so that a webhook's body reads like an answer
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
  at: EventPlace,
): ConversionState =>
  state.kind === 'none'
    ? state
    : { ...state, record: { ...state.record, ...change, ...touched(at) } };
