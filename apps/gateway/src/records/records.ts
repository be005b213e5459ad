import {
  laterOf,
  type DomainEvent,
  type ListSpec,
  type OwnStreamKind,
  type Position,
  type RecordOf,
} from '@refledger/contracts';
import type {
  AccountContext,
  CommandHandler,
  Consistency,
  Outcome,
  PositionsAtTimes,
  RecordHistory,
  Run,
} from '@refledger/application';
import type { Decider } from '@refledger/domain';
import type { LoadedStream } from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import {
  RecordQueries,
  type AsOfParameters,
  type KeyNames,
  type ReadContext,
  type ReadModels,
  type RecordKind,
  type RecordRead,
} from '@refledger/queries';
import type { ProjectionSpec } from '@refledger/read-store';
import { historyPage, type HistoryParameters } from '../history/history-page.js';
import type { ApiResponse } from '../http/request/call.js';
import { requireRevision, type IfMatch } from '../http/request/if-match.js';
import {
  asOfHeaders,
  listResponse,
  recordResponse,
  type RequestEffect,
} from '../http/responses.js';
import { listPage, type ShownRecords } from '../lists/list-page.js';
import { filtersOf, type ListParameters, type ListScope } from '../lists/list-query.js';

/** A kind of record with its routes: how it is read, changed and listed. */
export interface Resource<
  K extends OwnStreamKind,
  Id extends string,
  Command,
  State,
  Event,
> extends RecordKind<K, Id, State, Event> {
  readonly decider: Decider<Command, State, Event>;
  readonly projection: ProjectionSpec;
  readonly listSpec: ListSpec;
  /** Completes a record from a stream, as of a position, with what its stream does not say. */
  readonly complete?: (
    record: RecordOf<K>,
    position: Position | undefined,
    context: ReadContext,
  ) => Promise<RecordOf<K>>;
}

export type RecordsOf<R> =
  R extends Resource<infer K, infer Id, infer Command, infer State, infer Event extends DomainEvent>
    ? Records<K, Id, Command, State, Event>
    : never;

/** What the records of every resource need. */
export abstract class RecordsParts {
  abstract readonly past: RecordHistory;
  abstract readonly commands: CommandHandler;
  abstract readonly consistency: Consistency;
  abstract readonly keys: KeyNames;
  abstract readonly personalData: PersonalData;
  abstract readonly times: PositionsAtTimes;
  abstract readonly readModels: ReadModels;
}

interface Change<Id> extends ReadContext {
  readonly context: AccountContext;
  readonly id: Id;
  readonly ifMatch: IfMatch | undefined;
}

/** The query of a list: its own parameters, and what all lists have. */
type Query = ListParameters & Readonly<Record<string, string | undefined>>;

type CommandOf<Command, State, Event> = Run<Command, State, Event>['command'];

/** The outcome of a command that creates a record, unless an earlier request had created it. */
type Creation<State, Event> =
  Outcome<State, Event> | (LoadedStream<State> & { readonly isNew: boolean });

/** Responds to the requests that every resource has: the methods of its controller call these. */
export class Records<
  K extends OwnStreamKind,
  Id extends string,
  Command,
  State,
  Event extends DomainEvent,
> {
  private readonly queries: RecordQueries<K, Id, State, Event>;

  constructor(
    private readonly resource: Resource<K, Id, Command, State, Event>,
    private readonly parts: RecordsParts,
  ) {
    this.queries = new RecordQueries(resource, parts);
  }

  /** One page of the account's records that pass the filters. */
  list(
    call: ReadContext & { readonly query: Query },
    scope: Pick<ListScope, 'id' | 'order'> & ShownRecords = {},
  ): Promise<ApiResponse> {
    const { projection, listSpec } = this.resource;
    const filters = filtersOf(listSpec, call.caller.accountId, call.query);
    return listPage(this.parts.readModels, projection, call, { filters, ...scope });
  }

  /** The record as it is now, or as it was at the position or time `as_of`. */
  async get(call: RecordRead<Id> & { readonly query: AsOfParameters }): Promise<ApiResponse> {
    const { as_of } = call.query;
    if (as_of === undefined) {
      const { record, position } = await this.queries.get(call);
      return this.respond(record, laterOf(position, call.minPosition), 'read', call);
    }
    const { record: body, position } = await this.queries.getAt(call, as_of);
    return { status: 200, body, headers: asOfHeaders(position, call) };
  }

  /** One page of the changes to a record. */
  async history(
    call: RecordRead<Id> & { readonly query: HistoryParameters },
  ): Promise<ApiResponse> {
    const { id, query, minPosition } = call;
    const { record, position } = await this.queries.ofHistory(call);
    const { from, to, newestFirst, nextCursor } = historyPage(
      query,
      `history of ${id}`,
      record.revision,
    );
    const withRecords = query.include === 'record';
    const changes = await this.queries.changes(call, record, { from, to, withRecords });
    const shown = newestFirst ? [...changes].reverse() : changes;
    return listResponse(shown, nextCursor, laterOf(position, minPosition));
  }

  /** The stream of a record. Throws `not_found` if the caller has no such record. */
  async load(read: RecordRead<Id>): Promise<LoadedStream<State>> {
    return (await this.queries.load(read)).loaded;
  }

  /** Responds to a request that created or started a record, or repeated an earlier request. */
  created(
    call: ReadContext,
    id: Id,
    outcome: Creation<State, Event>,
    how: 'created' | 'started' = 'created',
  ): Promise<ApiResponse> {
    const isNew = 'isNew' in outcome ? outcome.isNew : outcome.events.length > 0;
    return this.wrote(id, outcome, isNew ? how : 'replayed', call);
  }

  /** Changes a record with one command. Throws like `run`. */
  async update(
    change: Change<Id>,
    command: CommandOf<Command, State, Event>,
  ): Promise<ApiResponse> {
    return this.changed(change, await this.run(change, command));
  }

  /** Responds to a request that changed a record. */
  changed(change: Change<Id>, outcome: LoadedStream<State>): Promise<ApiResponse> {
    return this.wrote(change.id, outcome, 'changed', change);
  }

  /** Runs one command on a record. Throws like its precondition. */
  async run(
    change: Change<Id>,
    command: CommandOf<Command, State, Event>,
  ): Promise<Outcome<State, Event>> {
    const { commands, consistency } = this.parts;
    const { stream, decider } = this.resource;
    const { context, id } = change;
    const { accountId } = change.caller;
    const precondition = this.precondition(change);
    const run = { stream: stream(id, accountId), decider, context, precondition, command };
    const outcome = await commands.run(run);
    consistency.wrote(accountId, outcome.position);
    return outcome;
  }

  /**
   * Returns a check of a loaded stream. It throws `not_found` if the caller has no such record, and
   * `revision_mismatch` if it is at a revision that `If-Match` does not accept.
   */
  precondition({ caller, id, ifMatch }: Change<Id>): (loaded: LoadedStream<State>) => void {
    return (loaded) => {
      this.queries.recordIn(id, loaded, caller.accountId);
      requireRevision(ifMatch, loaded.revision);
    };
  }

  private async wrote(
    id: Id,
    outcome: LoadedStream<State>,
    how: RequestEffect,
    call: ReadContext,
  ): Promise<ApiResponse> {
    const { position } = outcome;
    const { accountId } = call.caller;
    this.parts.consistency.wrote(accountId, position);
    const record = await this.queries.opened(this.queries.recordIn(id, outcome, accountId));
    return this.respond(record, position, how, call);
  }

  private async respond(
    record: RecordOf<K>,
    position: Position | undefined,
    how: RequestEffect,
    context: ReadContext,
  ): Promise<ApiResponse> {
    const { complete } = this.resource;
    const shown = complete === undefined ? record : await complete(record, position, context);
    return recordResponse(shown, position, how);
  }
}
