import { isObject, type Position } from '@refledger/contracts';
import type { ChangedDocument, Document, StoredDocument } from '@refledger/read-store';
import type { DocumentKey } from '../projection.js';

/** Documents by collection and id. */
export class Documents<T extends StoredDocument = StoredDocument> {
  readonly collections = new Map<string, Map<string, T>>();

  get({ collection, id }: DocumentKey): T | undefined {
    return this.collections.get(collection)?.get(id);
  }

  set(collection: string, stored: T): void {
    const documents = this.collections.get(collection);
    if (documents === undefined) this.collections.set(collection, new Map([[stored.id, stored]]));
    else documents.set(stored.id, stored);
  }

  /** Lists the documents by collection, as a store takes them. */
  lists(): ReadonlyMap<string, readonly T[]> {
    return new Map(
      [...this.collections].map(([collection, documents]) => [collection, [...documents.values()]]),
    );
  }
}

/** The result of folding a batch. */
export interface FoldResult {
  readonly changed: Documents<ChangedDocument>;
  readonly unchanged: ReadMarks;
}

/** Documents that were read and left unchanged, each with the position at the first read. */
export class ReadMarks {
  readonly collections = new Map<string, Map<string, Position | undefined>>();

  set(collection: string, id: string, position: Position | undefined): void {
    const marks = this.collections.get(collection);
    if (marks === undefined) this.collections.set(collection, new Map([[id, position]]));
    else if (!marks.has(id)) marks.set(id, position);
  }

  setAll({ collections }: ReadMarks): void {
    for (const [collection, marks] of collections)
      for (const [id, position] of marks) this.set(collection, id, position);
  }
}

/** Documents with a running total of the approximate bytes of memory that they take. */
export class WeighedDocuments<T extends StoredDocument = StoredDocument> extends Documents<T> {
  weight = 0;

  override set(collection: string, stored: T): void {
    const before = this.collections.get(collection)?.get(stored.id);
    this.weight += weightOf(stored) - (before === undefined ? 0 : weightOf(before));
    super.set(collection, stored);
  }

  setAll({ collections }: Documents<T>): void {
    for (const [collection, documents] of collections)
      for (const stored of documents.values()) this.set(collection, stored);
  }
}

const weightOf = ({ document }: StoredDocument): number =>
  200 + (document === null ? 0 : weightOfFields(document));

const weightOfFields = (fields: Document): number => {
  let weight = 0;
  for (const key in fields) {
    const value = fields[key];
    weight += 16;
    if (typeof value === 'string') weight += value.length;
    else if (isObject(value)) weight += 50 + weightOfFields(value);
  }
  return weight;
};
