import { derivedId, noCommission, unreported } from '@refledger/contracts';
import type {
  AffiliateFields,
  AffiliateStatus,
  ConversionBasis,
  ConversionEvent,
  ConversionFields,
  NewProgram,
  ReportedSale,
  TermsInForce,
  UpdateConversion,
} from '@refledger/contracts';
import type { ConversionCommand, ProgramState, RecordSale } from '../src/index.js';
import { affiliateDecider, programDecider } from '../src/index.js';
import { affiliateEvents, affiliateFields } from '../src/testing/index.js';
import { instantOf, given, when } from './scenario.js';

export const conversion_id = derivedId('conversion', '1');
export const affiliate_id = derivedId('affiliate', 'ada');
export const inProgram = { affiliate_id, program_id: 'prog_a' } as const;

/** An approved affiliate, with these fields. */
export const affiliateWith = (fields: Partial<AffiliateFields>) =>
  given(affiliateDecider, affiliateEvents.created(inProgram, { ...affiliateFields, ...fields }));
export const affiliateAt = (status: AffiliateStatus) => affiliateWith({ status });

export const deletedAffiliate = given(
  affiliateDecider,
  affiliateEvents.created(inProgram),
  affiliateEvents.deleted(inProgram),
);

/** The affiliate's program, with these fields. */
export const programWith = (fields: Partial<NewProgram>): ProgramState =>
  given(
    programDecider,
    ...when(programDecider, programDecider.initial, {
      type: 'create',
      program_id: inProgram.program_id,
      program: { name: 'A', ...fields },
      isIdChosen: true,
    }),
  );

/** The fields of a sale that was just recorded in a program without terms. */
export const fields: ConversionFields = {
  status: 'pending',
  sale_amount: 4950,
  refunded_amount: 0,
  commission_amount: 0,
  commission: noCommission,
  reason: null,
  metadata: { a: '1', b: '2' },
  payout_id: null,
};
const { metadata: _, ...details } = unreported;
/** The fields that all events of the conversion have. It occurred when it was recorded. */
export const about = {
  conversion_id,
  ...inProgram,
  sale_currency: 'USD',
  occurred_at: instantOf(0),
  payable_on: '2026-01-31',
  ...details,
  external_transaction_id: 'tx-1',
} as const;
const basis: ConversionBasis = {
  reported_occurred_at: null,
  terms: null,
  first_occurred_at: null,
};
export const created = {
  type: 'conversion.created',
  data: { ...about, basis, after: fields },
} as const satisfies ConversionEvent;

export const sale: ReportedSale = {
  affiliate_id,
  sale_amount: 4950,
  sale_currency: 'usd',
  external_transaction_id: 'tx-1',
  metadata: { a: '1', b: '2' },
};

/** The command to record the sale. */
export const record = (
  change: Partial<ReportedSale> = {},
  more: Partial<RecordSale> = {},
): RecordSale => ({
  type: 'record',
  conversion_id,
  affiliate: affiliateAt('approved'),
  program: programDecider.initial,
  firstOccurredAt: null,
  sale: { ...sale, ...change },
  recordedAt: instantOf(0),
  ...more,
});

export const update = (
  patch: UpdateConversion,
  inForce: TermsInForce | null = null,
): Extract<ConversionCommand, { type: 'update' }> => ({
  type: 'update',
  conversion_id,
  patch,
  inForce,
});
