import {
  comparePositions,
  type AccountId,
  type Change,
  type DomainEvent,
  type Position,
  type OwnStreamKind,
  type PublicRecord,
  type RecordOf,
  type StoredRecord,
  type StoredRecordOf,
  type StreamName,
} from '@refledger/contracts';
import type {
  CommandHandler,
  Consistency,
  PastRecord,
  RecordHistory,
  Revisions,
} from '@refledger/application';
import type { Decider } from '@refledger/domain';
import type { LoadedStream } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import { aheadOfTheLog, positionOf, type AsOfParts } from './as-of.js';
import { recordReader, notFound, notFoundAt } from '../own-record.js';
import { erasedChanges, openChanges } from './open-changes.js';
import { shownChange } from './shown-change.js';
import type { KeyNames } from './shown-actor.js';
import type { ReadContext } from '../read-models.js';

/** Everything needed to read the records of one kind, each in a stream of its own. */
export interface RecordKind<K extends OwnStreamKind, Id extends string, State, Event> {
  readonly kind: K;
  readonly stream: (id: Id, account: AccountId) => StreamName;
  readonly decider: Decider<never, State, Event>;
  /** The record as the API shows it; undefined when there is none, or it was deleted. */
  readonly recordOf: (state: State) => StoredRecordOf<K> | undefined;
  /** The record whose history the API shows; default: the same. */
  readonly recordWithHistory?: (state: State) => StoredRecordOf<K> | undefined;
}

/** What is needed to read records. */
export interface RecordReadsParts extends AsOfParts {
  readonly past: RecordHistory;
  readonly commands: Pick<CommandHandler, 'load' | 'instant'>;
  readonly consistency: Pick<Consistency, 'settleLog'>;
  readonly keys: KeyNames;
  readonly personalData: PersonalData;
}

export interface RecordRead<Id> extends ReadContext {
  readonly id: Id;
}

/** A record as it is now. */
export interface CurrentRecord<Record> {
  readonly record: Record;
  /** The position of its last event. */
  readonly position: Position | undefined;
}

/** A record as it was at a position. */
export interface PastRecordAt {
  readonly record: PublicRecord;
  readonly position: Position;
}

/** Reads single records and their histories from their own streams, so they are never behind. */
export class RecordQueries<
  K extends OwnStreamKind,
  Id extends string,
  State,
  Event extends DomainEvent,
> {
  /** The record of a loaded stream. Throws `not_found` if the account has no such record. */
  readonly recordIn: ReturnType<typeof recordReader<State, StoredRecordOf<K>>>;

  constructor(
    private readonly records: RecordKind<K, Id, State, Event>,
    private readonly parts: RecordReadsParts,
  ) {
    this.recordIn = recordReader(records.kind, records.recordOf);
  }

  /**
   * The record as it is now. Throws `not_found` if the caller has no such record, also if it was
   * erased since it was loaded.
   */
  async get(read: RecordRead<Id>): Promise<CurrentRecord<RecordOf<K>>> {
    const { loaded, record } = await this.load(read);
    const opened = await this.opened(record);
    if (isWithoutValues(opened)) throw notFound(this.records.kind, read.id);
    return { record: opened, position: loaded.position };
  }

  /** The stored record of this kind as the API shows it. */
  async opened(record: StoredRecordOf<K>): Promise<RecordOf<K>> {
    const [opened] =
      record.object === 'affiliate'
        ? await this.parts.personalData.openRecords([record])
        : [record];
    // the compiler cannot tell that a record opens to one of its own kind
    return opened as RecordOf<K>;
  }

  /**
   * The record as it was at a position or a time. Throws `not_found` if the caller has no such
   * record, or did not have it yet.
   */
  async getAt(read: RecordRead<Id>, as_of: string): Promise<PastRecordAt> {
    const asOf = await positionOf(as_of, read.caller, this.parts);
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
    const [opened] = await this.parts.personalData.openRecords([record]);
    if (opened === undefined) throw new TypeError(`${read.id} was not opened`);
    if (isWithoutValues(opened)) throw notFound(this.records.kind, read.id);
    return { record: opened, position: asOf };
  }

  /**
   * The record whose history is asked for, as it is stored. Throws `not_found` if the caller has
   * none.
   */
  async ofHistory(read: RecordRead<Id>): Promise<CurrentRecord<StoredRecordOf<K>>> {
    const { kind, recordOf, recordWithHistory = recordOf } = this.records;
    const loaded = await this.loaded(read);
    const recordIn = recordReader(kind, recordWithHistory);
    return {
      record: recordIn(read.id, loaded, read.caller.accountId),
      position: loaded.position,
    };
  }

  /** The changes to a record that `ofHistory` returned, oldest first, with its records if asked for. */
  async changes(
    read: RecordRead<Id>,
    current: StoredRecordOf<K>,
    { withRecords, ...revisions }: Revisions & { readonly withRecords: boolean },
  ): Promise<readonly Change[]> {
    const { past, keys, personalData } = this.parts;
    const of = this.pastOf(read, current);
    const changes = await (withRecords
      ? past.changesWithRecords(of, revisions)
      : past.changes(of, revisions));
    const opened = isErased(current)
      ? erasedChanges(changes)
      : await openChanges(personalData, of.kind, changes);
    return opened.map((change) => shownChange(change, read.caller.accountId, keys));
  }

  /**
   * The stream as it is now, and its record. Throws `not_found` if the caller has no such record.
   */
  async load(read: RecordRead<Id>): Promise<{
    readonly loaded: LoadedStream<State>;
    readonly record: StoredRecordOf<K>;
  }> {
    const loaded = await this.loaded(read);
    return { loaded, record: this.recordIn(read.id, loaded, read.caller.accountId) };
  }

  private async loaded({ caller, id, minPosition }: RecordRead<Id>): Promise<LoadedStream<State>> {
    const { commands, consistency } = this.parts;
    if (minPosition !== undefined) await consistency.settleLog(caller, minPosition);
    return commands.load(this.records.decider, this.records.stream(id, caller.accountId));
  }

  private pastOf(
    { caller, id }: RecordRead<Id>,
    { revision }: Pick<RecordOf<K>, 'revision'>,
  ): PastRecord {
    const { kind, stream } = this.records;
    return { kind, stream: stream(id, caller.accountId), revision, reader: caller };
  }
}

const isErased = (record: StoredRecord): boolean =>
  record.object === 'affiliate' && record.sealed === null;

/** Whether a record was opened after its key was destroyed. */
const isWithoutValues = (record: PublicRecord): boolean =>
  record.object === 'affiliate' && record.email === null;

/** Whether a loaded stream has no event after this position. */
const isUpTo = (position: Position, loaded: LoadedStream<unknown>): boolean =>
  loaded.position !== undefined && comparePositions(loaded.position, position) <= 0;
