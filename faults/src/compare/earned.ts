import { publicEventId } from '@refledger/contracts';
import type { AffiliateStats, Conversion } from '@refledger/testing';
import type { BookedSale } from '../books/booked-sale.js';
import { booksOf } from '../books/books.js';
import { exclusionOf } from '../books/customers.js';
import type { Facts } from '../facts.js';
import type { History, Version } from '../history.js';
import { receiptKey } from '../receipts.js';
import type { Comparison } from './comparison.js';
import { hasArrived } from './delivered.js';

/**
 * Checks that every commission is the one that follows from its requests and the terms, and that
 * the sums sent, stored, listed, counted and delivered are the same: by affiliate, currency and
 * status, to the cent.
 */
export const compareEarned = ({
  entries,
  history,
  responses,
  receipts,
}: Omit<Facts, 'deliveries'>): Comparison => {
  const books = booksOf({ entries, history });
  const sales = [...books.sales.values()];
  const sent = sumsOf(sales);
  const stored = currentConversions(history);
  const { stats } = responses;
  return {
    claim: 'commissions are those of the terms',
    figures: { ...owedByCurrency(sales), ...variety(sales, history) },
    differences: [
      ...books.faults,
      ...differences('stored', sumsOf(stored.map(rowOf)), sent),
      ...differences('listed', sumsOf((responses.conversions[0] ?? []).map(rowOf)), sent),
      ...differences(
        'counted',
        countedSums(stats),
        // the statistics of a deleted affiliate are deleted too
        sumsOf(sales.filter(({ affiliate }) => stats.has(affiliate))),
      ),
      ...differences('delivered', sumsOf(deliveredTo('/steady', history, receipts)), sent),
    ],
  };
};

type Row = Pick<BookedSale, 'affiliate' | 'currency' | 'status' | 'commission'>;
/** By affiliate, currency and status. `owed` is the commission of those that are approved. */
type Sums = ReadonlyMap<string, bigint>;

const sumsOf = (rows: readonly Row[]): Sums => {
  const sums = new Map<string, bigint>();
  for (const { affiliate, currency, status, commission } of rows)
    for (const figure of status === 'approved' ? [status, 'owed'] : [status]) {
      const key = `${affiliate} ${currency} ${figure}`;
      sums.set(key, (sums.get(key) ?? 0n) + commission);
    }
  return sums;
};

const countedSums = (stats: ReadonlyMap<string, AffiliateStats>): Sums =>
  new Map(
    [...stats].flatMap(([affiliate, { currencies }]) =>
      currencies.flatMap(({ currency, commission_amount: { total: _, paid, unpaid, ...rest } }) =>
        Object.entries({ ...rest, owed: paid + unpaid }).map(([figure, sum]): [string, bigint] => [
          `${affiliate} ${currency} ${figure}`,
          BigInt(sum),
        ]),
      ),
    ),
  );

const differences = (where: string, found: Sums, sent: Sums): string[] =>
  [...new Set([...found.keys(), ...sent.keys()])].flatMap((key) => {
    const [is = 0n, should = 0n] = [found.get(key), sent.get(key)];
    return is === should ? [] : [`${key}: ${is} ${where}, but ${should} sent`];
  });

const rowOf = (record: Conversion): Row => ({
  affiliate: record.affiliate_id,
  currency: record.sale_currency,
  status: record.status,
  commission: BigInt(record.commission_amount),
});

const currentConversions = ({ versions }: History): readonly Conversion[] =>
  [...versions.values()].flatMap((all) => conversionOf(all.at(-1)));

const conversionOf = (version: Version | undefined): readonly Conversion[] =>
  version?.record.object === 'conversion' ? [version.record] : [];

/** The conversions according to the webhooks that arrived at a path: the last revision of each. */
const deliveredTo = (
  path: string,
  { versions }: History,
  receipts: Facts['receipts'],
): readonly Row[] =>
  [...versions.values()]
    .map((all) =>
      all.findLast((version) =>
        hasArrived(version, receipts.get(receiptKey(path, publicEventId(version.event.id)))),
      ),
    )
    .flatMap(conversionOf)
    .map(rowOf);

const owedByCurrency = (sales: readonly BookedSale[]): Readonly<Record<string, bigint>> => {
  const owed: Record<string, bigint> = {};
  for (const { currency, commission } of sales.filter(({ status }) => status === 'approved'))
    owed[`${currency} owed`] = (owed[`${currency} owed`] ?? 0n) + commission;
  return owed;
};

/** How many conversions are of each kind. A run that lacks a kind proves nothing about it. */
const variety = (sales: readonly BookedSale[], history: History) => {
  const stored = currentConversions(history);
  return {
    flat: sales.filter(({ terms }) => terms?.type === 'flat').length,
    explicit: sales.filter(({ explicit }) => explicit !== null).length,
    capped: sales.filter(({ why }) => why === 'capped').length,
    'not first': sales.filter(({ why }) => why === 'not_first').length,
    'after the months': sales.filter(({ why }) => why === 'after_duration').length,
    'within the months': sales.filter(isWithinMonths).length,
    'refunded in part': sales.filter(isPartOfPercentage).length,
    'under own terms': stored.filter(({ commission }) => commission.source === 'affiliate').length,
    'approved at once': stored.filter(({ created_at, approved_at }) => created_at === approved_at)
      .length,
  };
};

/** Whether a later sale to a customer earns because its months are not over. */
const isWithinMonths = ({ terms, place }: BookedSale): boolean =>
  typeof terms?.recurring === 'object' &&
  place.first !== null &&
  exclusionOf(terms, place) === null;

/** Whether the commission depends on a partial refund. */
const isPartOfPercentage = ({ status, refunded, terms, explicit }: BookedSale): boolean =>
  status !== 'refunded' && refunded > 0n && terms?.type === 'percentage' && explicit === null;
