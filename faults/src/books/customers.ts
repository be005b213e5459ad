import type { SentTerms } from '@refledger/testing';
import type { History, Version } from '../history.js';
import type { Entry } from '../ledger.js';
import type { SaleRequest } from './sale-requests.js';

/** The first sale in the log that an affiliate referred for a `customer_id`. */
interface FirstSale {
  readonly id: string;
  readonly occurredAt: Date;
}

/** By affiliate and `customer_id`. */
export type FirstSales = ReadonlyMap<string, FirstSale>;

/** A sale's place among all sales to its customer. */
export interface Place {
  readonly occurredAt: Date;
  /** Null if it is the first, or names no customer. */
  readonly first: FirstSale | null;
}

/** Why terms pay nothing for a sale, whatever its amount. */
type Exclusion = 'not_first' | 'after_duration';

/** Finds the first sale to each customer, whatever became of it later. */
export const firstSalesOf = (
  { versions }: Pick<History, 'versions'>,
  sent: ReadonlyMap<string, Entry>,
): FirstSales => {
  const all = new Map<string, FirstSale>();
  // the records are in the order of their first events in the log
  for (const [id, [created]] of versions) {
    if (created?.record.object !== 'conversion') continue;
    // decoding boundary: the load sends these bodies
    const request = sent.get(created.event.metadata.request_id)?.intent.body as
      SaleRequest | undefined;
    const customer = request && customerOf(request);
    if (request !== undefined && customer !== undefined && !all.has(customer))
      all.set(customer, { id, occurredAt: occurrenceOf(request, created) });
  }
  return all;
};

/** Returns the place of the sale that a request made. */
export const placeOf = (request: SaleRequest, created: Version, all: FirstSales): Place => {
  const customer = customerOf(request);
  const first = customer === undefined ? undefined : all.get(customer);
  return {
    occurredAt: occurrenceOf(request, created),
    first: first === undefined || first.id === created.record.id ? null : first,
  };
};

/** Returns why terms pay nothing for the sale at this place, or null if they pay. */
export const exclusionOf = (
  terms: SentTerms | null,
  { occurredAt, first }: Place,
): Exclusion | null => {
  const { recurring = 'every' } = terms ?? {};
  if (recurring === 'every' || first === null) return null;
  if (recurring === 'first') return 'not_first';
  return occurredAt < monthsAfter(first.occurredAt, recurring.months) ? null : 'after_duration';
};

const customerOf = ({ affiliate_id, customer_id }: SaleRequest): string | undefined =>
  customer_id === undefined ? undefined : `${affiliate_id} ${customer_id}`;

const occurrenceOf = ({ occurred_at }: SaleRequest, { event }: Version): Date =>
  new Date(occurred_at ?? event.metadata.recorded_at);

/** By the calendar in UTC; a day that the month lacks becomes its last day. */
const monthsAfter = (start: Date, months: number): Date => {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months];
  const daysInMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const end = new Date(start);
  end.setUTCFullYear(year, month, Math.min(start.getUTCDate(), daysInMonth));
  return end;
};
