import type { SealedAffiliateRecord, TermsInForce } from '@refledger/contracts';
import type { CommissionResult } from '../commission/applied-terms.js';
import { payableOn } from '../commission/payable-on.js';
import type { SeriesSale } from '../commission/series.js';
import { defaultHoldDays } from '../commission/stored-terms.js';
import type { ProgramState } from '../program/program.decider.js';
import { currentTerms } from './current-terms.js';
import { earnedAtFirst } from './earned.js';

/** A sale that is new, in the form in which it is recorded. */
export interface NewSale extends SeriesSale {
  readonly sale_amount: number;
  readonly sale_currency: string;
  /** Null if the terms decide. */
  readonly commission_amount: number | null;
  readonly recordedAt: string;
}

/** The commission of a new sale, its terms, and the day from which that is payable. */
export interface Price {
  readonly terms: TermsInForce | null;
  readonly payable_on: string;
  readonly earned: CommissionResult;
}

/** Prices a new sale under the terms in force now: its affiliate's, or the program's. */
export const priceOf = (
  {
    sale_amount,
    sale_currency,
    commission_amount,
    occurredAt,
    firstOccurredAt,
    recordedAt,
  }: NewSale,
  program: ProgramState,
  affiliate: SealedAffiliateRecord | undefined,
): Price => {
  const terms = currentTerms(program, affiliate);
  return {
    terms,
    payable_on: payableOn({ occurredAt, recordedAt }, terms?.terms.hold_days ?? defaultHoldDays),
    earned: earnedAtFirst(sale_amount, commission_amount, {
      currency: sale_currency,
      occurredAt,
      firstOccurredAt,
      terms,
    }),
  };
};
