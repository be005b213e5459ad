import {
  accountOf,
  isEventOf,
  type AccountId,
  type AffiliateId,
  type AffiliateStatsRecord,
  type ConversionEvent,
  type ConversionFields,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import {
  addSum,
  moveCount,
  noCounts,
  noSums,
  plus,
  toSums,
  type Counts,
  type Sums,
} from './figures.js';
import { projectionOf } from './projection.js';

/** The totals of an affiliate's conversions. The document exists as long as the affiliate does. */
export const affiliateStatsProjection = projectionOf<'affiliate' | 'conversion', StatsDocument>(
  ['affiliate', 'conversion'],
  {
    name: 'affiliate_stats',
    version: 4,
    collections: [{ name: 'affiliate_stats', indexes: [] }],
    keysOf: (event) =>
      event.type === 'affiliate.created' ||
      event.type === 'affiliate.deleted' ||
      isEventOf('conversion', event)
        ? [
            {
              collection: 'affiliate_stats',
              id: event.data.affiliate_id,
              begins: event.type === 'affiliate.created',
            },
          ]
        : [],
    evolve: (document, event) => {
      if (event.type === 'affiliate.created')
        return document === undefined
          ? empty(accountOf(event), event.data.affiliate_id)
          : undefined;
      if (event.type === 'affiliate.deleted') return document && null;
      if (document === undefined || !isEventOf('conversion', event)) return undefined;
      return evolve(document, event);
    },
  },
);

/** The statistics of one affiliate. Sums are decimal strings, because they may exceed 2^53. */
interface StatsDocument extends Document {
  readonly account_id: AccountId;
  readonly affiliate_id: AffiliateId;
  readonly conversions: Counts;
  readonly currencies: Readonly<Record<string, CurrencyStats>>;
  readonly first_conversion_at: string | null;
  readonly last_conversion_at: string | null;
}

interface CurrencyStats {
  readonly conversions: Counts;
  readonly sale_amount: Sums;
  readonly commission_amount: Sums;
  /** The commission of approved conversions that a completed payout paid. */
  readonly paid: string;
}

/** Returns the API's record of a document, with the position that it reflects. */
export const statsFromDocument = (document: Document, position: Position): AffiliateStatsRecord => {
  const stats = document as StatsDocument;
  const currencies = Object.entries(stats.currencies).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    object: 'affiliate_stats',
    affiliate_id: stats.affiliate_id,
    conversions: stats.conversions,
    currencies: currencies.map(([currency, figures]) => {
      const commission = toSums(figures.commission_amount);
      const paid = BigInt(figures.paid);
      return {
        currency,
        conversions: figures.conversions,
        sale_amount: toSums(figures.sale_amount),
        commission_amount: { ...commission, paid, unpaid: commission.approved - paid },
      };
    }),
    first_conversion_at: stats.first_conversion_at,
    last_conversion_at: stats.last_conversion_at,
    position,
  };
};

const empty = (account_id: AccountId, affiliate_id: AffiliateId): StatsDocument => ({
  account_id,
  affiliate_id,
  conversions: noCounts,
  currencies: {},
  first_conversion_at: null,
  last_conversion_at: null,
});

const nothing: CurrencyStats = {
  conversions: noCounts,
  sale_amount: noSums,
  commission_amount: noSums,
  paid: '0',
};

const evolve = (stats: StatsDocument, event: RecordedEvent<ConversionEvent>): StatsDocument => {
  const { sale_currency: currency, after } = event.data;
  const before = event.type === 'conversion.created' ? undefined : event.data.before;
  const figures = stats.currencies[currency] ?? nothing;
  const at = event.metadata.recorded_at;
  const isNew = before === undefined;
  return {
    ...stats,
    conversions: moveCount(stats.conversions, before?.status, after.status),
    currencies: {
      ...stats.currencies,
      [currency]: {
        conversions: moveCount(figures.conversions, before?.status, after.status),
        sale_amount: saleSums(figures.sale_amount, before, after),
        commission_amount: commissionSums(figures.commission_amount, before, after),
        paid: paidSum(figures.paid, before, after),
      },
    },
    first_conversion_at: isNew
      ? earlierOf(stats.first_conversion_at, at)
      : stats.first_conversion_at,
    last_conversion_at: isNew ? laterOf(stats.last_conversion_at, at) : stats.last_conversion_at,
  };
};

const earlierOf = (known: string | null, at: string): string =>
  known === null || at < known ? at : known;

const laterOf = (known: string | null, at: string): string =>
  known === null || at > known ? at : known;

const saleSums = (
  sums: Sums,
  before: ConversionFields | undefined,
  after: ConversionFields,
): Sums => {
  if (before === undefined) return addSale(sums, after, 1);
  const isSame =
    before.status === after.status &&
    before.sale_amount === after.sale_amount &&
    before.refunded_amount === after.refunded_amount;
  return isSame ? sums : addSale(addSale(sums, before, -1), after, 1);
};

/** The refunded part counts as refunded, and only the rest by the conversion's status. */
const addSale = (
  sums: Sums,
  { status, sale_amount, refunded_amount }: ConversionFields,
  sign: 1 | -1,
): Sums =>
  addSum(
    addSum(sums, status, sign * (sale_amount - refunded_amount)),
    'refunded',
    sign * refunded_amount,
  );

const commissionSums = (
  sums: Sums,
  before: ConversionFields | undefined,
  after: ConversionFields,
): Sums => {
  if (before === undefined) return addSum(sums, after.status, after.commission_amount);
  const isSame =
    before.status === after.status && before.commission_amount === after.commission_amount;
  return isSame
    ? sums
    : addSum(
        addSum(sums, before.status, -before.commission_amount),
        after.status,
        after.commission_amount,
      );
};

const paidSum = (
  sum: string,
  before: ConversionFields | undefined,
  after: ConversionFields,
): string => {
  const by = paidBy(after) - (before === undefined ? 0 : paidBy(before));
  return by === 0 ? sum : plus(sum, by);
};

/** Today's commission of a conversion, if it is approved and a payout paid it. */
const paidBy = ({ status, payout_id, commission_amount }: ConversionFields): number =>
  status === 'approved' && payout_id !== null ? commission_amount : 0;
