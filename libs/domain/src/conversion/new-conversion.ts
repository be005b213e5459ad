import type {
  ConversionEvent,
  ConversionFields,
  ConversionId,
  ReportedSale,
} from '@refledger/contracts';
import { requireActiveAffiliate } from '../affiliate/active-affiliate.js';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { requireActiveProgram } from '../program/active-program.js';
import type { ProgramState } from '../program/program.decider.js';
import type { ConversionCreated } from './conversion-record.js';
import { occurrenceOf } from './occurrence.js';
import { priceOf } from './price.js';
import { requireSaleCurrency } from './sale-currency.js';
import { normalized } from './sale.js';

/** A sale to be recorded, and everything that its decision depends on. */
export interface RecordSale {
  readonly type: 'record';
  readonly conversion_id: ConversionId;
  /** The affiliate that the sale names; `none` when it belongs to another account. */
  readonly affiliate: AffiliateState;
  readonly program: ProgramState;
  /**
   * When the customer's first sale occurred. Null when this one is the first, or names no customer.
   */
  readonly firstOccurredAt: string | null;
  readonly sale: ReportedSale;
  /** When the sale is recorded. */
  readonly recordedAt: string;
}

/**
 * Returns the events of a new conversion: it is created as pending and, where the program approves
 * conversions automatically, approved immediately. It takes the terms that are in force now and
 * keeps them, so no later change to them affects it.
 */
export const newConversion = ({
  conversion_id,
  affiliate: affiliateState,
  program,
  firstOccurredAt,
  sale,
  recordedAt,
}: RecordSale): ConversionEvent[] => {
  const {
    affiliate_id,
    sale_amount,
    sale_currency,
    occurred_at: reported_occurred_at,
    commission_amount,
    external_transaction_id,
    customer_id,
    metadata,
  } = normalized(sale);
  const occurredAt = occurrenceOf(reported_occurred_at, recordedAt);
  requireSaleCurrency(sale_currency, reported_occurred_at);
  const affiliate = requireActiveAffiliate(affiliateState, affiliate_id);
  requireActiveProgram(program, 'conversions');
  const { terms, payable_on, earned } = priceOf(
    { sale_amount, sale_currency, commission_amount, occurredAt, firstOccurredAt, recordedAt },
    program,
    affiliate,
  );
  const pending: ConversionFields = {
    status: 'pending',
    sale_amount,
    refunded_amount: 0,
    commission_amount: earned.commission_amount,
    commission: earned.commission,
    reason: null,
    metadata,
    payout_id: null,
  };
  const created = {
    conversion_id,
    affiliate_id: affiliate.id,
    program_id: affiliate.program_id,
    sale_currency,
    occurred_at: occurredAt,
    payable_on,
    external_transaction_id,
    customer_id,
    basis: { reported_occurred_at, terms, first_occurred_at: firstOccurredAt },
    after: pending,
  };
  const isApproved = affiliate.status === 'approved' && approvesConversions(program);
  return [
    { type: 'conversion.created', data: created },
    ...(isApproved ? [approved(created)] : []),
  ];
};

const approved = ({ basis: _, after, ...about }: ConversionCreated['data']): ConversionEvent => ({
  type: 'conversion.approved',
  data: { ...about, before: after, after: { ...after, status: 'approved' } },
});

const approvesConversions = (program: ProgramState): boolean =>
  program.kind === 'present' && program.record.conversion_approval === 'automatic';
