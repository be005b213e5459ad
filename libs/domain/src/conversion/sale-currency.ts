import { validationError, withdrawalOf } from '@refledger/contracts';
import { dayMs, dayOf } from '../day.js';
import { requireMinorUnit } from '../minor-unit.js';

/** How long after its withdrawal a currency still has sales: refunds and late reports. */
const maxDaysAfterWithdrawal = 400;

/**
 * Throws `validation_failed` unless a new sale can have this currency: one with a minor unit that
 * is active, or that was withdrawn less than 400 days before the sale. `occurredAt` is the time
 * that was reported; null if none was.
 */
export const requireSaleCurrency = (code: string, occurredAt: string | null): void => {
  requireMinorUnit('sale_currency', code);
  const withdrawal = withdrawalOf(code);
  if (withdrawal === undefined) return;
  const { on, successor } = withdrawal;
  const end = dayOf(Date.parse(on) + maxDaysAfterWithdrawal * dayMs);
  // an instant sorts after the first moment of its day
  if (occurredAt !== null && occurredAt < end) return;
  const when = occurredAt === null ? 'without occurred_at' : `for a sale of ${occurredAt}`;
  throw validationError({
    path: '/sale_currency',
    code: 'withdrawn_currency',
    message: `sale_currency must not be ${code} ${when}, because ${code} was withdrawn on ${on} and followed by ${successor}. Send ${successor}, or the occurred_at of a sale before ${end}.`,
  });
};
