/** Terms as a client sends them, with currencies in upper case. Amounts are in minor units. */
export type SentTerms = (
  | { readonly type: 'percentage'; readonly rate_bps: number }
  | { readonly type: 'flat'; readonly amounts: AmountsByCurrency }
) & {
  readonly caps?: AmountsByCurrency;
  readonly recurring?: 'every' | 'first' | { readonly months: number };
  readonly hold_days?: number;
};

type AmountsByCurrency = Readonly<Record<string, number>>;

/** The proceeds of a sale, in the minor unit of its currency: its amount less what was refunded. */
interface NetSale {
  readonly net: bigint;
  readonly currency: string;
}

interface ExpectedCommission {
  readonly amount: bigint;
  readonly why: string;
}

/**
 * Returns what a sale earns under terms, as a calculator would compute it: rounded half up, then
 * capped. It repeats the contract's rule so that the suites do not compare the service with its own
 * code. It does not know of other sales to the same customer.
 */
export const expectedCommission = (
  { net, currency }: NetSale,
  terms: SentTerms | null,
): ExpectedCommission => {
  if (terms === null) return { amount: 0n, why: 'no_terms' };
  const amount = beforeCap({ net, currency }, terms);
  if (amount === undefined) return { amount: 0n, why: 'no_amount_in_currency' };
  const cap = terms.caps?.[currency];
  return cap !== undefined && amount > BigInt(cap)
    ? { amount: BigInt(cap), why: 'capped' }
    : { amount, why: 'applied' };
};

const beforeCap = ({ net, currency }: NetSale, terms: SentTerms): bigint | undefined => {
  if (terms.type === 'percentage') return rounded(net * BigInt(terms.rate_bps));
  const flat = terms.amounts[currency];
  return flat === undefined ? undefined : BigInt(flat);
};

/** Rounds ten-thousandths half up. */
const rounded = (tenThousandths: bigint): bigint =>
  tenThousandths / 10_000n + (tenThousandths % 10_000n >= 5_000n ? 1n : 0n);
