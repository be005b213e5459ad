import { DomainError, type Metadata } from '@refledger/contracts';
import type {
  ConversionEvent,
  ConversionFields,
  ConversionRecord,
  ConversionStatus,
  TermsInForce,
  UpdateConversion,
} from '@refledger/contracts';
import type { CommissionResult } from '../commission/applied-terms.js';
import { integer } from '../integers.js';
import { assertBelowRevisionLimit } from '../revision-limit.js';
import { termsAfterPatch } from './by-terms.js';
import { type RecordedConversion, aboutOf, fieldsOf } from './conversion-state.js';
import { earnedAfter, sameEarned } from './earned.js';
import {
  isFullRefund,
  refundedAfter,
  requireConsistentRefund,
  requireMoreThanRefunded,
} from './refund.js';
import { requireAllowed } from './transitions.js';

/** A patch, and what else its decision depends on. */
interface ConversionChange {
  readonly patch: UpdateConversion;
  /** The terms that a new sale would take now; null if there are none. */
  readonly inForce: TermsInForce | null;
}

/**
 * Returns the event of a patch; none when it changes nothing. Fields are compared by value, so a
 * patch that was sent again has no effect.
 */
export const updated = (
  { patch, inForce }: ConversionChange,
  recorded: RecordedConversion,
): ConversionEvent[] => {
  const { record, created, paidHistory } = recorded;
  const before = fieldsOf(record);
  const sale_amount = amountAfter(record, patch);
  requireMoreThanRefunded(patch, record, sale_amount);
  requireConsistentRefund(patch, sale_amount);
  const turned = newStatus(record, patch, sale_amount);
  const status = turned ?? record.status;
  const refunded_amount = refundedAfter(record, { status, sale_amount }, patch.refunded_amount);
  const paid = { status, sale_amount, refunded_amount };
  const terms = termsAfterPatch(recorded, patch, inForce);
  const earned = earnedAfter(before, paid, patch, {
    currency: record.sale_currency,
    occurredAt: record.occurred_at,
    firstOccurredAt: created.basis.first_occurred_at,
    terms,
  });
  requireEarnedUnlocked(record, status, earned);
  const metadata = patch.metadata ?? before.metadata;
  const changed = { ...before, ...paid, ...earned, metadata };
  const reason = reasonOf(changed, before, patch.reason);
  // a new status has its own reason, or none; otherwise the last one stays
  const after = { ...changed, reason: reason ?? (turned === undefined ? before.reason : null) };
  if (turned === undefined && sameFields(after, before)) return [];
  if (turned === undefined || turned === 'approved')
    assertBelowRevisionLimit(record, paidHistory.events);
  const data = { ...aboutOf(recorded), before, after, reason, ...taken(terms, recorded) };
  return [{ type: `conversion.${turned ?? 'updated'}`, data }];
};

/** The terms that a change gives to a conversion; nothing if it keeps its own. */
const taken = (
  terms: TermsInForce | null,
  before: RecordedConversion,
): { readonly terms?: TermsInForce } => (terms === null || terms === before.terms ? {} : { terms });

/**
 * Returns the sale's amount after a patch. Throws `invalid_transition` when the patch changes it
 * although the conversion is no longer pending.
 */
const amountAfter = (record: ConversionRecord, { sale_amount }: UpdateConversion): number => {
  if (sale_amount === undefined || sale_amount === record.sale_amount) return record.sale_amount;
  if (record.status === 'pending') return integer(sale_amount);
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is ${record.status}, and sale_amount can be changed only while it is pending. ${record.status === 'approved' ? 'Reject it with a reason and record the sale again' : 'Record the sale again'} under a new external_transaction_id, or correct what is owed with an adjustment.`,
  );
};

/**
 * Returns the status that a patch leads to; undefined when the status stays. Throws
 * `invalid_transition` when it may not follow the current one.
 */
const newStatus = (
  record: ConversionRecord,
  patch: UpdateConversion,
  sale_amount: number,
): UpdateConversion['status'] => {
  const wanted = patch.status ?? (isFullRefund(patch, sale_amount) ? 'refunded' : undefined);
  if (wanted === undefined || wanted === record.status) return undefined;
  requireAllowed(wanted, record);
  return wanted;
};

/** Throws `invalid_transition` when a patch changes what a refunded conversion has lost. */
const requireEarnedUnlocked = (
  record: ConversionRecord,
  status: ConversionStatus,
  earned: CommissionResult,
): void => {
  if (status !== 'refunded' || sameEarned(earned, record)) return;
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is refunded, or this request refunds it. Its commission can be changed only while it is not refunded.`,
  );
};

/** The reason for a change. Only a new status, refund or commission has one. */
const reasonOf = (
  after: ConversionFields,
  before: ConversionFields,
  given = null as string | null,
): string | null =>
  after.status !== before.status ||
  after.refunded_amount !== before.refunded_amount ||
  !sameEarned(after, before)
    ? given
    : null;

/** Whether the fields that a client can change without a change of status are the same. */
const sameFields = (a: ConversionFields, b: ConversionFields): boolean =>
  a.sale_amount === b.sale_amount &&
  a.refunded_amount === b.refunded_amount &&
  sameEarned(a, b) &&
  sameMetadata(a.metadata, b.metadata);

/** Whether two metadata objects hold the same pairs, in any order. */
const sameMetadata = (a: Metadata, b: Metadata): boolean => {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
};
