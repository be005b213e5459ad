import { normalizeCurrency, validationError } from '@refledger/contracts';
import type { PayoutRunDocument } from '@refledger/projections';

/** Which payouts of a run are in a file. */
export interface PartOfRun {
  /** Undefined if the run has no payouts. */
  readonly currency: string | undefined;
  /** From 1. */
  readonly part: number;
  /** How many parts there are in this currency. */
  readonly parts: number;
  /** How many payouts are in the parts before this one. */
  readonly skipped: number;
  /** The maximum number of payouts in this part. */
  readonly size: number;
}

interface PartRequest {
  readonly currency?: string | undefined;
  readonly part?: string | undefined;
  readonly rowsPerPart: number;
}

/**
 * Cuts all payouts of a run in one currency into parts, whatever became of them. So a part has the
 * same payouts at any time. Throws `validation_failed` for a currency that is missing, and for a
 * part that does not exist.
 */
export const partOf = (
  { totals }: Pick<PayoutRunDocument, 'totals'>,
  { rowsPerPart, ...asked }: PartRequest,
): PartOfRun => {
  const currency = currencyOf(totals, asked.currency);
  const payouts = totals.find((total) => total.currency === currency)?.payouts ?? 0;
  const parts = Math.max(1, Math.ceil(payouts / rowsPerPart));
  const part = Number(asked.part ?? '1');
  if (part > parts)
    throw invalid(
      'part',
      'too_large',
      `part must be at most ${parts}, but was ${part}. Refledger-Parts says how many parts there are.`,
    );
  const size = Math.min(rowsPerPart, payouts);
  return { currency, part, parts, skipped: (part - 1) * size, size };
};

const currencyOf = (
  totals: PayoutRunDocument['totals'],
  asked: string | undefined,
): string | undefined => {
  if (asked !== undefined) return normalizeCurrency(asked);
  const [first, ...others] = totals.map(({ currency }) => currency);
  if (others.length === 0) return first;
  throw invalid(
    'currency',
    'required',
    `currency is required, because this run has payouts in ${[first, ...others].join(', ')}. Send one of them.`,
  );
};

const invalid = (path: string, code: string, message: string) =>
  validationError({ path, code, message });
