import { conversionStatuses, type AffiliateStats, type Conversion } from '@refledger/testing';
import { same } from '../canonical.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that the statistics of each affiliate are the sums over its listed rows, to the cent, for
 * each currency and status.
 */
export const compareCounted = ({ responses }: Pick<Facts, 'responses'>): Comparison => {
  const rows = grouped(responses.conversions[0] ?? [], ({ affiliate_id }) => affiliate_id);
  const differences = [...responses.stats].flatMap(([affiliate, stats]) => {
    const sums = sumsOf(rows.get(affiliate) ?? []);
    const reported = reportedBy(stats);
    return same(reported, sums)
      ? []
      : [
          `${affiliate} has statistics ${JSON.stringify(reported)}, but its rows add up to ${JSON.stringify(sums)}`,
        ];
  });
  return {
    claim: 'statistics equal the sums of the rows',
    figures: {
      counted: [...responses.stats.values()].reduce(
        (sum, { conversions }) => sum + conversions.total,
        0,
      ),
      'with statistics': responses.stats.size,
    },
    differences,
  };
};

type Sums = Readonly<Record<string, unknown>>;

const figures = <Row extends { readonly status: string }>(
  rows: readonly Row[],
  sumOf: (row: Row) => number,
): Sums => {
  const sum = (matching: readonly Row[]): number =>
    matching.reduce((total, row) => total + sumOf(row), 0);
  return {
    total: sum(rows),
    ...Object.fromEntries(
      conversionStatuses.map((status) => [
        status,
        sum(rows.filter((row) => row.status === status)),
      ]),
    ),
  };
};

/** The refunded part of a sale counts as refunded, and the rest by its status. */
const sales = (rows: readonly Conversion[]): Sums =>
  figures(
    rows.flatMap((row) => [
      { status: row.status, amount: row.sale_amount - row.refunded_amount },
      { status: 'refunded' as const, amount: row.refunded_amount },
    ]),
    ({ amount }) => amount,
  );

/** The approved amounts, by whether a payout has paid it. */
const paidOf = (rows: readonly Conversion[]): Sums => {
  const approved = rows.filter(({ status }) => status === 'approved');
  const sum = (matching: readonly Conversion[]): number =>
    matching.reduce((total, { commission_amount }) => total + commission_amount, 0);
  return {
    paid: sum(approved.filter(({ payout_id }) => payout_id !== null)),
    unpaid: sum(approved.filter(({ payout_id }) => payout_id === null)),
  };
};

const sumsOf = (rows: readonly Conversion[]): Sums => ({
  conversions: figures(rows, () => 1),
  currencies: Object.fromEntries(
    [...grouped(rows, ({ sale_currency }) => sale_currency)].map(([currency, own]) => [
      currency,
      {
        conversions: figures(own, () => 1),
        sale_amount: sales(own),
        commission_amount: { ...figures(own, (row) => row.commission_amount), ...paidOf(own) },
      },
    ]),
  ),
  first: rows.map(({ created_at }) => created_at).toSorted()[0] ?? null,
  last:
    rows
      .map(({ created_at }) => created_at)
      .toSorted()
      .at(-1) ?? null,
});

const reportedBy = ({
  conversions,
  currencies,
  first_conversion_at,
  last_conversion_at,
}: AffiliateStats): Sums => ({
  conversions,
  currencies: Object.fromEntries(
    currencies.map(({ currency, conversions: counts, sale_amount, commission_amount }) => [
      currency,
      { conversions: counts, sale_amount, commission_amount },
    ]),
  ),
  first: first_conversion_at,
  last: last_conversion_at,
});
