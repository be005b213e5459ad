import type { Filter, Query } from '@refledger/read-store';
import { compareText, type KeyValue } from '@refledger/read-store/adapter';
import type { CommittedDocument } from './committed-document.js';

/** Finds the documents of a query by looking at all of them. */
export const findDocuments = (
  documents: ReadonlyMap<string, CommittedDocument>,
  query: Query,
): readonly CommittedDocument[] => {
  const { order, after, where, limit, id } = query;
  if (after !== undefined && after.length !== order.fields.length)
    throw new TypeError('`after` needs a value for each field of the order');
  const direction = order.descending ? -1 : 1;
  const keyOf = (document: CommittedDocument): readonly KeyValue[] =>
    order.fields.map((field) => document.keys.get(field) ?? null);
  return [...documents.values()]
    .filter(
      (document) =>
        !document.isTombstone &&
        (id === undefined || document.id === id) &&
        where.every((filter) => matches(document, filter)) &&
        (after === undefined || direction * compareKeys(keyOf(document), after) > 0),
    )
    .sort((a, b) => direction * compareKeys(keyOf(a), keyOf(b)))
    .slice(0, limit);
};

const matches = ({ keys, texts }: CommittedDocument, filter: Filter): boolean => {
  const multikey = texts.get(filter.field);
  if (multikey !== undefined)
    return 'equals' in filter && multikey.some((text) => text === filter.equals);
  const value = keys.get(filter.field) ?? null;
  if ('equals' in filter) return value === filter.equals;
  const { after, before } = filter;
  return (
    value !== null &&
    (after === undefined || compareValues(value, after) > 0) &&
    (before === undefined || compareValues(value, before) < 0)
  );
};

const compareKeys = (a: readonly KeyValue[], b: readonly KeyValue[]): number => {
  for (const [n, value] of a.entries()) {
    const compared = compareValues(value, b[n] ?? null);
    if (compared !== 0) return compared;
  }
  return 0;
};

/** Orders null first, then booleans and numbers, then text. */
const compareValues = (a: KeyValue, b: KeyValue): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return rankOf(a) - rankOf(b) || Number(a) - Number(b);
};

const rankOf = (value: KeyValue): number =>
  value === null ? 0 : typeof value === 'string' ? 2 : 1;
