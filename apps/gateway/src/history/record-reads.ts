import {
  comparePositions,
  laterOf,
  type AccountId,
  type DomainEvent,
  type Position,
  type OwnStreamKind,
  type RecordOf,
  type StreamName,
} from '@refledger/contracts';
import type {
  CommandHandler,
  Consistency,
  RecordHistory,
  PastRecord,
} from '@refledger/application';
import type { Decider } from '@refledger/domain';
import type { Loaded } from '@refledger/event-log';
import {
  type KeyNames,
  notFoundAt,
  aheadOfTheLog,
  positionOf,
  type AsOfParameters,
  type AsOfParts,
  shownChange,
  type ReadContext,
  recordReader,
} from '@refledger/queries';
import type { ApiResponse } from '../http/request/call.js';
import { positionHeader, recordResponse } from '../records.js';
import { historyPage, type HistoryParameters } from './history-page.js';

/** Everything needed to read the records of one kind, each in a stream of its own. */
export interface RecordKind<K extends OwnStreamKind, Id extends string, State, Event> {
  readonly kind: K;
  readonly stream: (id: Id, account: AccountId) => StreamName;
  readonly decider: Decider<never, State, Event>;
  /** The record as the API shows it; undefined when there is none, or it was deleted. */
  readonly recordOf: (state: State) => RecordOf<K> | undefined;
}

/** What is needed to read records. */
export interface RecordReadsParts extends AsOfParts {
  readonly past: RecordHistory;
  readonly commands: Pick<CommandHandler, 'load' | 'instant'>;
  readonly consistency: Pick<Consistency, 'settleLog'>;
  readonly keys: KeyNames;
}

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

/** Reads single records and their histories from their own streams, so they are never behind. */
export class RecordReads {
  constructor(private readonly parts: RecordReadsParts) {}

  of<K extends OwnStreamKind, Id extends string, State, Event extends DomainEvent>(
    records: RecordKind<K, Id, State, Event>,
  ): ReadsOfKind<Id> {
    return new StreamReads(records, this.parts);
  }
}

class StreamReads<
  K extends OwnStreamKind,
  Id extends string,
  State,
  Event extends DomainEvent,
> implements ReadsOfKind<Id> {
  private readonly recordIn: ReturnType<typeof recordReader<State, RecordOf<K>>>;

  constructor(
    private readonly records: RecordKind<K, Id, State, Event>,
    private readonly parts: RecordReadsParts,
  ) {
    this.recordIn = recordReader(records.kind, records.recordOf);
  }

  async get(read: Read<Id, AsOfParameters>): Promise<ApiResponse> {
    const { as_of } = read.query;
    if (as_of !== undefined)
      return this.getAt(read, await positionOf(as_of, read.caller, this.parts));
    const { loaded, record } = await this.load(read);
    return recordResponse(record, loaded, 'read', read.minPosition);
  }

  async history(read: Read<Id, HistoryParameters>): Promise<ApiResponse> {
    const { caller, id, query, minPosition } = read;
    const { loaded, record } = await this.load(read);
    const page = historyPage(query, `history of ${id}`, record.revision);
    const { past, keys } = this.parts;
    const of = this.pastOf(read, record);
    const changes = await (query.include === 'record'
      ? past.changesWithRecords(of, page)
      : past.changes(of, page));
    const shown = changes.map((change) => shownChange(change, caller.accountId, keys));
    return {
      status: 200,
      body: {
        object: 'list',
        data: page.newestFirst ? shown.reverse() : shown,
        has_more: page.hasMore,
        next_cursor: page.nextCursor,
      },
      headers: positionHeader(laterOf(loaded.position, minPosition)),
    };
  }

  private async getAt(read: Read<Id, unknown>, asOf: Position | undefined): Promise<ApiResponse> {
    if (asOf === undefined) {
      await this.load(read);
      throw notFoundAt(this.records.kind, read.id, undefined);
    }
    await this.parts.consistency.settleLog(read.caller, asOf, aheadOfTheLog);
    const { loaded, record: current } = await this.load(read);
    const record = isUpTo(asOf, loaded)
      ? current
      : await this.parts.past.recordAt(this.pastOf(read, current), asOf);
    if (record === undefined) throw notFoundAt(this.records.kind, read.id, asOf);
    const headers = positionHeader(laterOf(asOf, read.minPosition));
    return { status: 200, body: record, headers: { ...headers, 'refledger-as-of': asOf } };
  }

  /**
   * The stream as it is now, and its record. Throws `not_found` if the caller has no such record.
   */
  private async load({ caller, id, minPosition }: Read<Id, unknown>): Promise<{
    readonly loaded: Loaded<State>;
    readonly record: RecordOf<K>;
  }> {
    const { commands, consistency } = this.parts;
    if (minPosition !== undefined) await consistency.settleLog(caller, minPosition);
    const stream = this.records.stream(id, caller.accountId);
    const loaded = await commands.load(this.records.decider, stream);
    return { loaded, record: this.recordIn(id, loaded, caller.accountId) };
  }

  private pastOf(
    { caller, id }: Read<Id, unknown>,
    { revision }: Pick<RecordOf<K>, 'revision'>,
  ): PastRecord {
    const { kind, stream } = this.records;
    return { kind, stream: stream(id, caller.accountId), revision, reader: caller };
  }
}

/** Whether a loaded stream has no event after this position. */
const isUpTo = (position: Position, loaded: Loaded<unknown>): boolean =>
  loaded.position !== undefined && comparePositions(loaded.position, position) <= 0;
