import { DomainError, type NewPayout, type PayoutId, type RunId } from '@refledger/contracts';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { affiliateNotFound } from '../affiliate/active-affiliate.js';
import type { BalanceState } from '../balance/balance-state.js';
import { bucketSums, maxRangeAmount } from '../balance/buckets.js';
import { linesUntil, maxPayoutRanges, partialLinesUntil } from '../balance/payout-lines.js';
import type { PayoutLines } from '../balance/payout-lines.js';
import { maxOpenPayouts } from '../balance/reserved-payout.js';
import type { ProgramState } from '../program/program.decider.js';
import type { PayoutCreated } from './payout-record.js';
import { normalized } from './sent-payout.js';
import { untilDay } from './until-day.js';

/** A payout to be created, and everything that its decision depends on. */
export interface CreatePayout {
  readonly payout_id: PayoutId;
  readonly payout: NewPayout;
  /** The affiliate that it names; `none` when it belongs to another account. */
  readonly affiliate: AffiliateState;
  readonly program: ProgramState;
  /** The balance of the affiliate in this currency. */
  readonly balance: BalanceState;
  readonly recordedAt: string;
  /** The run that makes it; null if a request does. */
  readonly run_id: RunId | null;
}

/** The inputs of the decision about a payout, besides the lines that the payout would take. */
export interface PayoutToDecide extends Pick<
  CreatePayout,
  'payout' | 'affiliate' | 'program' | 'balance'
> {
  readonly isOfRun: boolean;
}

/** The lines that a payout would take from a balance. */
export interface PayoutDraft {
  readonly lines: PayoutLines;
  readonly until: string;
  readonly currency: string;
}

/** The affiliate to whom a payout goes. */
type Payee = Exclude<AffiliateState, { kind: 'none' }>;

/**
 * Returns the event of a new payout, which takes every open entry that is payable by its day.
 * Throws the problem that prevents it.
 */
export const newPayout = (given: CreatePayout): PayoutCreated => {
  const { payout_id, payout, balance, run_id } = given;
  const asked = normalized(payout);
  const toDecide = { ...given, isOfRun: run_id !== null };
  const wanted = draftPayout(toDecide);
  const payee = requirePayout(toDecide, wanted);
  const { lines, until } = wanted;
  return {
    type: 'payout.created',
    data: {
      payout_id,
      affiliate_id: payee.record.id,
      program_id: payee.record.program_id,
      balance_id: requireAbout(balance).balance_id,
      run_id,
      payout_number: balance.payouts + 1,
      currency: asked.currency,
      amount: String(lines.amount),
      buckets: [...lines.buckets],
      entry_count: lines.count,
      until,
      reported_until: asked.until,
      ignore_minimum: asked.ignore_minimum,
      partial: asked.partial,
      even_if_not_approved: asked.even_if_not_approved,
      description: asked.description,
      payee_revision: payee.payeeRevision,
      chain: balance.chain,
      after: {
        status: 'created',
        reference: null,
        reason: null,
        metadata: asked.metadata,
        completed_at: null,
      },
    },
  };
};

/**
 * Returns what a payout would take. Throws `validation_failed` if its day is in the future. The day
 * of a run was accepted with the run, and holds even if the clock was set back since.
 */
export const draftPayout = ({
  payout,
  balance,
  recordedAt,
  isOfRun,
}: Pick<CreatePayout, 'payout' | 'balance' | 'recordedAt'> &
  Pick<PayoutToDecide, 'isOfRun'>): PayoutDraft => {
  const { currency, until: sent, partial } = normalized(payout);
  const until = isOfRun && sent !== null ? sent : untilDay(sent, recordedAt);
  const lines = (partial ? partialLinesUntil : linesUntil)(balance.buckets, until);
  return { lines, until, currency };
};

/** Returns to whom a payout goes. Throws the problem that prevents it. */
export const requirePayout = (
  { payout, affiliate, program, balance, isOfRun }: PayoutToDecide,
  wanted: PayoutDraft,
): Payee => {
  const { affiliate_id, even_if_not_approved, ignore_minimum } = normalized(payout);
  // a run counts a balance with nothing payable under that reason, regardless of its affiliate
  if (isOfRun) requirePayable(wanted, balance);
  const payee = requirePayee(affiliate, affiliate_id, even_if_not_approved);
  requirePayable(wanted, balance);
  if (!ignore_minimum) requireMinimum(wanted, balance, program);
  requireRoom(wanted.lines, balance);
  return payee;
};

const requirePayee = (affiliate: AffiliateState, id: string, evenIfNotApproved: boolean): Payee => {
  if (affiliate.kind === 'none') throw affiliateNotFound(id);
  const { kind, record } = affiliate;
  const status = kind === 'present' ? record.status : 'deleted';
  if (status !== 'approved' && !evenIfNotApproved)
    throw new DomainError(
      'affiliate_not_active',
      `Affiliate ${id} is ${status} and gets no payouts. Approve it first, or send even_if_not_approved with the value true.`,
    );
  // a hold ends when its affiliate is deleted
  if (kind === 'present' && record.payout_hold)
    throw new DomainError(
      'payout_hold',
      `Affiliate ${id} is on hold and gets no payouts. Set its payout_hold to false first.`,
    );
  return affiliate;
};

const requirePayable = ({ lines, until, currency }: PayoutDraft, balance: BalanceState): void => {
  if (lines.amount > 0n) return;
  const next = nextPayableOn(balance, until);
  throw new DomainError(
    'nothing_payable',
    `${lines.amount} minor units of ${currency} are payable as of ${until}. ${next === null ? 'Nothing becomes payable later.' : `More becomes payable on ${next}.`}`,
    { payable: lines.amount, next_payable_on: next },
  );
};

const requireMinimum = (
  { lines, until, currency }: PayoutDraft,
  balance: BalanceState,
  program: ProgramState,
): void => {
  const minimum = program.kind === 'none' ? undefined : program.record.minimum_payout[currency];
  if (program.kind === 'none' || minimum === undefined || lines.amount >= BigInt(minimum)) return;
  throw new DomainError(
    'below_minimum',
    `${lines.amount} minor units of ${currency} are payable as of ${until}; the minimum payout of program ${program.record.id} is ${minimum}. Wait for more, or send ignore_minimum.`,
    {
      payable: lines.amount,
      minimum,
      next_payable_on: nextPayableOn(balance, until),
    },
  );
};

/** Throws when the balance has too many open payouts, or one payout cannot hold all the lines. */
const requireRoom = ({ ranges, amount }: PayoutLines, { inFlight }: BalanceState): void => {
  if (Object.keys(inFlight).length >= maxOpenPayouts)
    throw new DomainError(
      'too_many_open_payouts',
      `This balance has ${maxOpenPayouts} payouts that are neither completed nor failed nor canceled. Complete, fail or cancel one of them first.`,
    );
  if (ranges > maxPayoutRanges)
    throw new DomainError(
      'too_many_ranges',
      `The payable entries are in ${ranges} ranges, and one payout can hold ${maxPayoutRanges}. Send partial with the value true, and pay the rest with the next payout.`,
    );
  if (amount > maxRangeAmount)
    throw new DomainError(
      'too_many_ranges',
      `${amount} minor units are more than one payout can hold (2^53 - 1). Send partial with the value true, and pay the rest with the next payout.`,
    );
};

/** The first later day on which more becomes payable; a sale may be refunded before its day. */
const nextPayableOn = ({ buckets }: BalanceState, until: string): string | null =>
  [...bucketSums(buckets)].find(([day, sum]) => day > until && sum > 0n)?.[0] ?? null;

const requireAbout = ({ about }: BalanceState): NonNullable<BalanceState['about']> => {
  if (about === undefined) throw new TypeError('a balance without events has nothing to pay');
  return about;
};
