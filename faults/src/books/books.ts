import type { Facts } from '../facts.js';
import type { Version } from '../history.js';
import { requestIdOf, type Entry } from '../ledger.js';
import type { SentProgram } from '../load/programs.js';
import { changed, sold, type BookedSale } from './booked-sale.js';
import { firstSalesOf, placeOf, type FirstSales } from './customers.js';
import { isTrailVersion } from './paid-trail.js';
import type { SaleRequest } from './sale-requests.js';
import { dealsOf, type Sources } from './sellers.js';

/** The expected state of every conversion, worked out from the requests in the order of the log. */
export interface Books {
  /** By id of the conversion. */
  readonly sales: ReadonlyMap<string, BookedSale>;
  /** The records in the log that the requests do not explain. */
  readonly faults: readonly string[];
}

/** Keeps the books of a run. The log contributes only the order in which requests took effect. */
export const booksOf = ({ entries, history }: Pick<Facts, 'entries' | 'history'>): Books => {
  const sent = new Map(entries.map((entry) => [requestIdOf(entry.n), entry]));
  const sources = {
    sent,
    programs: programsOf(entries),
    history,
    firstSales: firstSalesOf(history, sent),
  };
  const sales = new Map<string, BookedSale>();
  const faults: string[] = [];
  for (const [id, versions] of history.versions) {
    if (versions[0]?.record.object !== 'conversion') continue;
    // While its terms are uncertain, a sale has several possible states.
    let possible: readonly BookedSale[] = [];
    for (const version of outcomesOf(versions)) {
      possible = statesAfter(possible, version, sources);
      const explaining = possible.filter((sale) => explains(sale, version));
      if (explaining.length > 0) possible = explaining;
      else faults.push(`${id}, revision ${version.event.revision}: ${faultOf(possible, version)}`);
    }
    if (possible[0] !== undefined) sales.set(id, possible[0]);
  }
  return { sales, faults };
};

// decoding boundary, here and below: the load sends these bodies
export const programsOf = (entries: readonly Entry[]): ReadonlyMap<string, SentProgram> =>
  new Map(
    entries
      .filter(({ intent }) => intent.what === 'program.create')
      .map(({ intent }) => intent.body as unknown as SentProgram)
      .map((program) => [program.id, program]),
  );

/**
 * The last version that each request made. A sale that is approved immediately has two, and those
 * that note what a payout paid are the ledger's.
 */
const outcomesOf = (all: readonly Version[]): readonly Version[] => {
  const versions = all.filter((version) => !isTrailVersion(version));
  return versions.filter(({ event }, index) => {
    const next = versions[index + 1];
    return next?.event.metadata.request_id !== event.metadata.request_id;
  });
};

/** The possible states of a sale after one more request; none after one that no one sent. */
const statesAfter = (
  possible: readonly BookedSale[],
  version: Version,
  sources: Sources & { readonly firstSales: FirstSales },
): readonly BookedSale[] => {
  const { event } = version;
  const entry = sources.sent.get(event.metadata.request_id);
  if (entry === undefined) return [];
  const { what, body = {} } = entry.intent;
  if (what !== 'conversion.create') return possible.map((sale) => changed(sale, body));
  const request = body as unknown as SaleRequest;
  const window = { seen: entry.seen, position: BigInt(event.position) };
  const place = placeOf(request, version, sources.firstSales);
  return dealsOf(request.affiliate_id, window, sources).map((deal) => sold(request, deal, place));
};

const explains = (sale: BookedSale, { record }: Version): boolean =>
  record.object === 'conversion' &&
  sale.status === record.status &&
  sale.amount === BigInt(record.sale_amount) &&
  sale.refunded === BigInt(record.refunded_amount) &&
  sale.commission === BigInt(record.commission_amount) &&
  sale.why === record.commission.why;

const faultOf = (possible: readonly BookedSale[], { record }: Version): string => {
  if (possible.length === 0) return 'no request explains it, or its affiliate could not sell';
  const wanted = possible.map(
    ({ status, amount, refunded, commission, why }) =>
      `${status}, ${amount} less ${refunded}, earning ${commission} (${why})`,
  );
  return `should be ${[...new Set(wanted)].join(' or ')}, but is ${JSON.stringify(record)}`;
};
