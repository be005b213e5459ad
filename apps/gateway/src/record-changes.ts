import type { DomainEvent, OwnStreamKind } from '@refledger/contracts';
import type {
  AccountContext,
  CommandHandler,
  Consistency,
  Outcome,
  Run,
} from '@refledger/application';
import type { Decider } from '@refledger/domain';
import type { RecordKind } from '@refledger/queries';
import type { ApiResponse } from './http/request/call.js';
import type { Caller } from './http/request/caller.js';
import { requireRevision, type IfMatch } from './http/request/if-match.js';
import { recordReader, recordResponse } from './records.js';

/** A request that changes one record. */
interface Change<Id> {
  readonly caller: Caller;
  readonly context: AccountContext;
  readonly id: Id;
  readonly ifMatch: IfMatch | undefined;
}

/** Everything needed to change the records of one kind. */
export interface ChangedKind<
  K extends OwnStreamKind,
  Id extends string,
  Command,
  State,
  Event,
> extends RecordKind<K, Id, State, Event> {
  readonly decider: Decider<Command, State, Event>;
}

/** Changes single records. */
export class RecordChanges {
  constructor(
    private readonly commands: Pick<CommandHandler, 'run'>,
    private readonly consistency: Pick<Consistency, 'wrote'>,
  ) {}

  /** Changes a record with one command, and returns the response. Throws what `apply` throws. */
  async change<
    K extends OwnStreamKind,
    Id extends string,
    Command,
    State,
    Event extends DomainEvent,
  >(
    changed: ChangedKind<K, Id, Command, State, Event>,
    change: Change<Id>,
    command: Run<Command, State, Event>['command'],
  ): Promise<ApiResponse> {
    const outcome = await this.apply(changed, change, command);
    const record = recordReader(changed.kind, changed.recordOf);
    return recordResponse(record(change.id, outcome, change.caller.accountId), outcome, 'changed');
  }

  /**
   * Changes a record with one command. Throws `not_found` if the caller has no such record, and
   * `revision_mismatch` if it is at a revision that `If-Match` does not accept.
   */
  async apply<
    K extends OwnStreamKind,
    Id extends string,
    Command,
    State,
    Event extends DomainEvent,
  >(
    { kind, stream, decider, recordOf }: ChangedKind<K, Id, Command, State, Event>,
    { caller: { accountId }, context, id, ifMatch }: Change<Id>,
    command: Run<Command, State, Event>['command'],
  ): Promise<Outcome<State, Event>> {
    const record = recordReader(kind, recordOf);
    const outcome = await this.commands.run({
      stream: stream(id, accountId),
      decider,
      context,
      precondition: (loaded) => {
        record(id, loaded, accountId);
        requireRevision(ifMatch, loaded.revision);
      },
      command,
    });
    this.consistency.wrote(accountId, outcome.position);
    return outcome;
  }
}
