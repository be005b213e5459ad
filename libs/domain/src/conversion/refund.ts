import { DomainError, validationError } from '@refledger/contracts';
import type {
  ConversionFields,
  ConversionRecord,
  ConversionStatus,
  UpdateConversion,
} from '@refledger/contracts';
import { integer } from '../integers.js';

type Patch = Pick<UpdateConversion, 'status' | 'refunded_amount'>;

/** Whether a patch refunds a sale of this amount in full, which a refund of 0 never does. */
export const isFullRefund = ({ refunded_amount }: Patch, sale_amount: number): boolean =>
  refunded_amount === sale_amount && sale_amount > 0;

/**
 * Throws `precondition_required` when a patch lowers what is refunded, which would raise the
 * commission: a request that arrives late or twice must not do that unnoticed. After a full refund
 * only status `approved` lowers it, which says so.
 */
export const requireNoLowerRefund = (
  { refunded_amount: sent }: Patch,
  { id, status, refunded_amount }: ConversionRecord,
): void => {
  if (sent === undefined || sent >= refunded_amount || status === 'refunded') return;
  throw new DomainError(
    'precondition_required',
    `refunded_amount of conversion ${id} is ${refunded_amount}, the sum of its refunds so far. ${sent} would lower it, which can raise the commission: a late or repeated request must not do that. If a refund was not made after all, read the conversion and send its ETag in If-Match (not *).`,
  );
};

/**
 * Throws `validation_failed` when a patch corrects the sale's amount to no more than what is
 * refunded already.
 */
export const requireMoreThanRefunded = (
  { refunded_amount: sent }: Patch,
  { sale_amount: current, refunded_amount }: ConversionRecord,
  sale_amount: number,
): void => {
  const isUnchanged = sale_amount === current || sent !== undefined || refunded_amount === 0;
  if (isUnchanged || sale_amount > refunded_amount) return;
  throw validationError({
    path: '/sale_amount',
    code: 'too_small',
    message: `sale_amount was ${sale_amount}, but refunded_amount is ${refunded_amount} already. Send more than ${refunded_amount}, or reject the conversion.`,
  });
};

/**
 * Throws `validation_failed` when a patch refunds more than the sale's amount, or when its status
 * contradicts what it refunds.
 */
export const requireConsistentRefund = (patch: Patch, sale_amount: number): void => {
  const { status, refunded_amount } = patch;
  if (refunded_amount === undefined) return;
  const fault = (code: string, message: string) =>
    validationError({ path: '/refunded_amount', code, message });
  if (refunded_amount > sale_amount)
    throw fault(
      'too_large',
      `refunded_amount was ${refunded_amount}, but sale_amount is only ${sale_amount}. Send at most ${sale_amount}.`,
    );
  const isFull = isFullRefund(patch, sale_amount);
  if (status === 'refunded' ? refunded_amount !== sale_amount : status !== undefined && isFull)
    throw fault(
      'contradicts_status',
      `refunded_amount ${refunded_amount} of ${sale_amount} contradicts status ${status}. Leave one of the two out.`,
    );
};

/**
 * Returns what is refunded after a patch that leads to this status. Throws `invalid_transition`
 * when the patch changes it although the conversion is then neither pending nor approved.
 */
export const refundedAfter = (
  record: Pick<ConversionRecord, 'id'> & ConversionFields,
  after: { readonly status: ConversionStatus; readonly sale_amount: number },
  sent: number | undefined,
): number => {
  const unasked = refundedByStatus(record, after);
  if (sent === undefined || sent === unasked) return unasked;
  if (after.status === 'approved' || after.status === 'pending') return integer(sent);
  const is = after.status === record.status ? 'is' : 'would become';
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} ${is} ${after.status}. refunded_amount can be changed only while it is pending or approved. Together with status approved, it undoes the refund or rejection.`,
  );
};

/** The refund when the request names no amount. */
const refundedByStatus = (
  before: ConversionFields,
  after: { readonly status: ConversionStatus; readonly sale_amount: number },
): number => {
  if (after.status === 'refunded') return after.sale_amount;
  return before.status === 'refunded' ? 0 : before.refunded_amount;
};
