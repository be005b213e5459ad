import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AffiliateRecord, Position } from '@refledger/contracts';
import type { AffiliateQuery, PersonalData } from '@refledger/personal-data';
import { affiliateSearch, type AffiliateSearchDocument } from '@refledger/projections';
import type { Document, Filter, Query } from '@refledger/read-store';
import { collectionOf, type ReadContext, type ReadModels } from '../read-models.js';

/** One page of the affiliates that were found. */
interface AffiliateSearchPage {
  readonly records: readonly AffiliateRecord[];
  /** The affiliate after which the next page begins; undefined if there is none. */
  readonly next: Pick<AffiliateRecord, 'id' | 'created_at'> | undefined;
  readonly position: Position | undefined;
}

/** The maximum number of rows that one request reads. */
const maxRows = 10_000;
/** The maximum number of rows that are read and opened before other requests have their turn. */
const maxBatchSize = 500;

/**
 * Finds affiliates by a text. The rows of its terms are read in the order of the list; then the
 * other filters, and last the open values, decide. A page ends early after 10,000 rows.
 */
export class AffiliateSearch {
  constructor(
    private readonly readModels: Pick<ReadModels, 'find'>,
    private readonly personalData: Pick<PersonalData, 'openUnlessErased'>,
  ) {}

  /** The query's limit is one more than the page has. Throws `unavailable` like `PersonalData`. */
  async page(
    searched: AffiliateQuery,
    query: Query,
    context: ReadContext,
  ): Promise<AffiliateSearchPage> {
    const size = query.limit - 1;
    const records: AffiliateRecord[] = [];
    let { after } = query;
    let position: Position | undefined;
    let left = Math.floor(maxRows / searched.terms.length);
    for (let limit = query.limit; ; limit = Math.min(2 * limit, maxBatchSize, left)) {
      const read = await this.rows(searched.terms, { ...query, after, limit }, context);
      position ??= read.position;
      records.push(...(await this.matching(searched, query.where, read.rows)));
      const last = read.rows.at(-1)?.record;
      if (records.length > size)
        return { records: records.slice(0, size), next: records[size - 1], position };
      if (last === undefined || read.rows.length < limit)
        return { records, next: undefined, position };
      left -= limit;
      if (left === 0) return { records, next: last, position };
      after = [last.created_at, last.id];
      await yieldToEventLoop();
    }
  }

  /** The next rows of any of the terms, each affiliate once. */
  private async rows(
    terms: readonly string[],
    { where, after, ...query }: Omit<Query, 'after'> & { readonly after: Query['after'] },
    context: ReadContext,
  ) {
    const found = new Map<string, AffiliateSearchDocument>();
    let position: Position | undefined;
    for (const term of terms) {
      const filters = [...where.filter(isInIndex), { field: 'terms', equals: term }];
      const read = await this.readModels.find(
        affiliateSearch,
        collectionOf(affiliateSearch),
        { ...query, ...(after && { after }), where: filters },
        context,
      );
      position ??= read.position;
      // a decoding boundary: the projection wrote these documents
      for (const document of read.value as readonly AffiliateSearchDocument[])
        found.set(document.record.id, document);
    }
    const rows = [...found.values()].sort(byCreation(query.order.descending));
    return { rows: rows.slice(0, query.limit), position };
  }

  private async matching(
    { matches }: AffiliateQuery,
    where: Query['where'],
    rows: readonly AffiliateSearchDocument[],
  ): Promise<readonly AffiliateRecord[]> {
    const others = where.filter((filter) => !isInIndex(filter));
    const passed = rows.filter((row) => others.every((filter) => passes(row, filter)));
    const opened = await this.personalData.openUnlessErased(passed.map(({ record }) => record));
    return opened.filter((record) => record !== undefined).filter(matches);
  }
}

/** The rest of a query's filters are compared with the documents. */
const isInIndex = ({ field }: Filter): boolean => field === 'account_id' || field === 'created_at';

const passes = (document: Document, filter: Filter): boolean =>
  'equals' in filter &&
  (document[filter.field] ?? document.record?.[filter.field]) === filter.equals;

const byCreation =
  (descending: boolean) =>
  (a: AffiliateSearchDocument, b: AffiliateSearchDocument): number =>
    keyOf(a) < keyOf(b) === descending ? 1 : -1;

/** Both have a fixed length, so their text has their order. */
const keyOf = ({ record: { created_at, id } }: AffiliateSearchDocument): string =>
  `${created_at} ${id}`;
