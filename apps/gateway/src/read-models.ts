import type { Position } from '@refledger/contracts';
import {
  ReadModelUnreadable,
  type Document,
  type Filter,
  type Found,
  type ReadStore,
  type ProjectionSpec,
} from '@refledger/read-store';
import type { Consistency } from './consistency.js';
import type { Answer } from './http/call.js';
import type { Caller } from './http/caller.js';
import { listQuery, type ListParameters } from './lists/list-query.js';
import { positionHeader } from './records.js';

/** The caller of a read, and the position that the read model must have reached. */
export interface Reading {
  readonly caller: Caller;
  readonly minPosition: Position | undefined;
}

/** The filters of a list, and how its documents become records. */
export interface Listing {
  readonly filters: readonly Filter[];
  /** Restricts the list to the record with this id, if it passes the filters. */
  readonly id?: string | undefined;
  /**
   * Turns the JSON texts of documents, one per line, into the JSON texts of records, separated by
   * commas.
   */
  readonly recordsJson: (documents: string) => string;
  readonly defaultLimit?: number;
}

/**
 * Parses documents and writes their records as JSON. Meant for lists that are short or rarely
 * requested.
 */
export const rewritten =
  (fromDocument: (document: Document) => object) =>
  (documents: string): string =>
    documents
      .split('\n')
      .map((document) => JSON.stringify(fromDocument(JSON.parse(document) as Document)))
      .join(',');

/**
 * Reads the read models. Each read sees its account's writes on this gateway and the position that
 * it asks for.
 */
export class ReadModels {
  constructor(
    private readonly store: ReadStore,
    private readonly consistency: Consistency,
  ) {}

  /** One document of a projection's collection. */
  async get(
    projection: ProjectionSpec,
    id: string,
    { caller, minPosition }: Reading,
  ): Promise<Found<Document | undefined>> {
    return this.read(projection, { caller, minPosition }, () =>
      this.store.get(projection, this.consistency.logId, collectionOf(projection), id),
    );
  }

  /** One page of a projection's collection, as the answer to a list. */
  async list(
    projection: ProjectionSpec,
    { query, ...reading }: Reading & { readonly query: ListParameters },
    { filters, id, recordsJson, defaultLimit }: Listing,
  ): Promise<Answer> {
    const list = listQuery(query, {
      name: projection.name,
      filters,
      ...(id !== undefined && { id }),
      ...(defaultLimit !== undefined && { defaultLimit }),
    });
    const { value, position } = await this.read(projection, reading, () =>
      this.store.findJson(projection, this.consistency.logId, collectionOf(projection), list.query),
    );
    return {
      status: 200,
      json: list.pageJson(value, recordsJson),
      headers: positionHeader(position),
    };
  }

  /**
   * Reads immediately, which is nearly always new enough. Otherwise waits until the read model is,
   * and reads again.
   */
  private async read<T>(
    projection: ProjectionSpec,
    { caller, minPosition }: Reading,
    find: () => Promise<Found<T>>,
  ): Promise<Found<T>> {
    const found = await find().catch(undefinedWhileUnreadable);
    if (
      found !== undefined &&
      this.consistency.isSettled(found.position, caller.accountId, minPosition)
    )
      return found;
    await this.consistency.settle(projection, caller, minPosition);
    return find();
  }
}

const undefinedWhileUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ReadModelUnreadable)) throw error;
};

/**
 * The projection's first collection, which holds its records. Every projection of Refledger has
 * one.
 */
const collectionOf = ({ name, collections: [collection] }: ProjectionSpec): string => {
  if (collection === undefined) throw new TypeError(`the projection ${name} has no collection`);
  return collection.name;
};
