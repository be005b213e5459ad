import { DomainError } from '@refledger/contracts';
import type {
  AffiliateRecord,
  ConversionEvent,
  ConversionFields,
  ConversionId,
  ConversionRecord,
  ConversionStatus,
  ReportedSale,
  Sale,
  UpdateConversion,
} from '@refledger/contracts';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import type { Decider } from '../decider.js';
import { integer } from '../integers.js';
import { requireActiveProgram } from '../program/active-program.js';
import type { ProgramState } from '../program/program.decider.js';
import { requireRevisionLeft } from '../revision-limit.js';
import { sameMetadata } from '../same-metadata.js';
import { conversionAfter, type ConversionCreated } from './conversion-record.js';
import { normalised, sameSale } from './sale.js';

export type ConversionState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'recorded';
      readonly record: ConversionRecord;
      readonly created: ConversionCreated['data'];
    };

export type ConversionCommand =
  /**
   * `affiliate` is the state of the affiliate that the sale names, and `program` that of its
   * program. Both are `none` when the affiliate belongs to another account.
   */
  | {
      readonly type: 'record';
      readonly conversion_id: ConversionId;
      readonly affiliate: AffiliateState;
      readonly program: ProgramState;
      readonly sale: ReportedSale;
    }
  | {
      readonly type: 'update';
      readonly conversion_id: ConversionId;
      readonly patch: UpdateConversion;
    };

/** The whole life of a conversion. */
export const conversionDecider: Decider<ConversionCommand, ConversionState, ConversionEvent> = {
  initial: { kind: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'record':
        return state.kind === 'none' ? [recorded(command)] : repeated(command, state.created);
      case 'update':
        return update(command.patch, existing(state, command.conversion_id));
    }
  },

  evolve(state, event, at) {
    const before = state.kind === 'none' ? undefined : state;
    const record = conversionAfter(before?.record, event, at);
    const created = event.type === 'conversion.created' ? event.data : before?.created;
    return record && created ? { kind: 'recorded', record, created } : state;
  },
};

type RecordCommand = Extract<ConversionCommand, { type: 'record' }>;
type Recorded = Extract<ConversionState, { kind: 'recorded' }>;

/** The statuses that may follow each status. A patch to the current status is not a transition. */
const following: Record<ConversionStatus, readonly ConversionStatus[]> = {
  pending: ['approved', 'rejected'],
  approved: ['rejected', 'refunded'],
  rejected: ['approved'],
  refunded: ['approved'],
};

const recorded = ({ conversion_id, affiliate, program, sale }: RecordCommand): ConversionEvent => {
  const { affiliate_id, sale_amount, sale_currency, metadata, ...details } = normalised(sale);
  const { id, program_id } = active(affiliate, affiliate_id);
  requireActiveProgram(program, 'conversions');
  return {
    type: 'conversion.created',
    data: {
      conversion_id,
      affiliate_id: id,
      program_id,
      sale_currency,
      ...details,
      after: { status: 'pending', sale_amount, commission_amount: 0, reason: null, metadata },
    },
  };
};

/**
 * Compares with the sale as first recorded, before any rule applies: a changed affiliate does not
 * matter.
 */
const repeated = (
  { conversion_id, sale }: RecordCommand,
  first: ConversionCreated['data'],
): ConversionEvent[] => {
  if (sameSale(normalised(sale), saleOf(first))) return [];
  const { external_transaction_id } = sale;
  if (external_transaction_id === undefined)
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

const update = (patch: UpdateConversion, { record, created }: Recorded): ConversionEvent[] => {
  const before = fieldsOf(record);
  const after = patched(before, patch);
  const { after: _, ...about } = created;
  const data = { ...about, before, after };
  requireAmountUnlocked(record, after);
  if (patch.status === undefined || patch.status === before.status) {
    if (sameFields(after, before)) return [];
    requireRevisionLeft(record);
    return [{ type: 'conversion.updated', data }];
  }
  requireAllowed(patch.status, record);
  if (patch.status === 'approved') requireRevisionLeft(record);
  const decided = { ...after, status: patch.status, reason: patch.reason ?? null };
  return [{ type: `conversion.${patch.status}`, data: { ...data, after: decided } }];
};

/**
 * Throws `invalid_transition` when a patch changes the amount of a conversion that is no longer
 * pending.
 */
const requireAmountUnlocked = (record: ConversionRecord, after: ConversionFields): void => {
  if (after.sale_amount === record.sale_amount || record.status === 'pending') return;
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is ${record.status}. sale_amount can be changed only while it is pending.`,
  );
};

/** Throws `invalid_transition` when the status may not follow the current one. */
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

const existing = (state: ConversionState, id: ConversionId): Recorded => {
  if (state.kind === 'none')
    throw new DomainError('not_found', `There is no conversion ${id}. Check the id.`);
  return state;
};

/** Returns the fields after a patch, except its status and reason. */
const patched = (before: ConversionFields, patch: UpdateConversion): ConversionFields => ({
  ...before,
  sale_amount: patch.sale_amount === undefined ? before.sale_amount : integer(patch.sale_amount),
  metadata: patch.metadata ?? before.metadata,
});

/** Whether the fields that a client can change without a change of status are the same. */
const sameFields = (a: ConversionFields, b: ConversionFields): boolean =>
  a.sale_amount === b.sale_amount && sameMetadata(a.metadata, b.metadata);

const fieldsOf = (record: ConversionRecord): ConversionFields => ({
  status: record.status,
  sale_amount: record.sale_amount,
  commission_amount: record.commission_amount,
  reason: record.reason,
  metadata: record.metadata,
});

const saleOf = ({
  conversion_id: _,
  program_id: __,
  after: { sale_amount, metadata },
  ...fixed
}: ConversionCreated['data']): Sale => ({ ...fixed, sale_amount, metadata });
