import { normalizeCurrency, type NewPayoutRun } from '@refledger/contracts';
import { differences, keyReused } from '../differences.js';
import { untilDay } from '../payout/until-day.js';
import type { PayoutRunStarted } from './payout-run-record.js';

/** Returns what a request asks for, in a form that can be compared: null for what it omits. */
export const normalizedRun = (sent: NewPayoutRun) => ({
  program_id: sent.program_id ?? null,
  currency: sent.currency === undefined ? null : normalizeCurrency(sent.currency),
  affiliate_ids: sent.affiliate_ids ?? null,
  until: sent.until ?? null,
  ignore_minimum: sent.ignore_minimum ?? false,
  description: sent.description ?? null,
  metadata: sent.metadata ?? {},
});

/**
 * Returns which balances a run pays, and what it takes from them. Throws `validation_failed` if its
 * day is in the future.
 */
export const runTerms = (sent: NewPayoutRun, recordedAt: string) => {
  const { program_id, currency, affiliate_ids, ignore_minimum, until } = normalizedRun(sent);
  return {
    program_id,
    currency,
    affiliate_ids,
    ignore_minimum,
    until: untilDay(until, recordedAt),
  };
};

/** Throws `idempotency_key_reused` unless a request is the one that started the run. */
export const requireSameRun = (sent: NewPayoutRun, started: PayoutRunStarted['data']): void => {
  const { program_id, currency, affiliate_ids, ignore_minimum, after } = started;
  const { description, metadata } = after;
  const narrowed = { program_id, currency, affiliate_ids, until: started.reported_until };
  const asSent = { ...narrowed, ignore_minimum, description, metadata };
  const errors = differences(normalizedRun(sent), asSent);
  if (errors.length === 0) return;
  throw keyReused(`started payout run ${started.run_id}`, errors);
};
