import { laterOf, type DomainEvent, type OwnStreamKind } from '@refledger/contracts';
import {
  type AsOfParameters,
  type ReadContext,
  RecordQueries,
  type RecordKind,
  type RecordReadsParts,
} from '@refledger/queries';
import type { ApiResponse } from '../http/request/call.js';
import { listResponse } from '../lists/list-response.js';
import { recordResponse } from '../records.js';
import { asOfHeaders } from './as-of-headers.js';
import { historyPage, type HistoryParameters } from './history-page.js';

/** A request that reads one record, or its history. */
interface Read<Id, Query> extends ReadContext {
  readonly id: Id;
  readonly query: Query;
}

/** Reads the records of one kind. */
export interface ReadsOfKind<Id> {
  /** The record as it is now, or as it was at the position or time `as_of`. */
  get(read: Read<Id, AsOfParameters>): Promise<ApiResponse>;
  /** One page of the changes to a record. */
  history(read: Read<Id, HistoryParameters>): Promise<ApiResponse>;
}

/** Responds to reads of single records and their histories. */
export class RecordReads {
  constructor(private readonly parts: RecordReadsParts) {}

  of<K extends OwnStreamKind, Id extends string, State, Event extends DomainEvent>(
    records: RecordKind<K, Id, State, Event>,
  ): ReadsOfKind<Id> {
    const queries = new RecordQueries(records, this.parts);
    return {
      get: (read) => getRecord(queries, read),
      history: (read) => getHistory(queries, read),
    };
  }
}

/** What a controller's reads need of the queries of its records. */
type Queries<Id extends string> = Pick<
  RecordQueries<OwnStreamKind, Id, unknown, DomainEvent>,
  'get' | 'getAt' | 'changes'
>;

const getRecord = async <Id extends string>(
  queries: Queries<Id>,
  read: Read<Id, AsOfParameters>,
): Promise<ApiResponse> => {
  const { as_of } = read.query;
  if (as_of === undefined) {
    const { record, position } = await queries.get(read);
    return recordResponse(record, { position }, 'read', read.minPosition);
  }
  const { record: body, position } = await queries.getAt(read, as_of);
  return { status: 200, body, headers: asOfHeaders(position, read) };
};

const getHistory = async <Id extends string>(
  queries: Queries<Id>,
  read: Read<Id, HistoryParameters>,
): Promise<ApiResponse> => {
  const { id, query, minPosition } = read;
  const { record, position } = await queries.get(read);
  const { newestFirst, nextCursor, ...page } = historyPage(
    query,
    `history of ${id}`,
    record.revision,
  );
  const withRecords = query.include === 'record';
  const changes = await queries.changes(read, record, {
    from: page.from,
    to: page.to,
    withRecords,
  });
  const shown = newestFirst ? [...changes].reverse() : changes;
  return listResponse(shown, nextCursor, laterOf(position, minPosition));
};
