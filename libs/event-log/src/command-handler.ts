import { setTimeout as sleep } from 'node:timers/promises';
import {
  DomainError,
  eventIdOf,
  newCommandId,
  toInstant,
  type AccountId,
  type DomainEvent,
  type EventMetadata,
  type StreamName,
} from '@refledger/contracts';
import { metaOf, type Decider } from '@refledger/domain';
import { encodeEvent } from './codec.js';
import type { Appended, EventLog, Expected, NewEvent } from './event-log.js';
import { EventLogError, isEventLogError } from './event-log-error.js';
import { nothingLoaded, type Loaded } from './load-stream.js';
import { AggregateCache } from './aggregate-cache.js';
import type { SnapshotOf } from './snapshots.js';
import { KeyedMutex } from './keyed-mutex.js';

/** Who sends a command, and in which request. `commandId` is random and new for each request. */
export interface CommandContext {
  readonly accountId: AccountId | null;
  readonly actor: string;
  readonly requestId: string;
  readonly commandId: string;
}

export const newContext = (about: Omit<CommandContext, 'commandId'>): CommandContext => ({
  ...about,
  commandId: newCommandId(),
});

export interface Run<Command, State, Event> {
  readonly stream: StreamName;
  readonly decider: Decider<Command, State, Event>;
  /** The command, or a function of the loaded state that makes it (called on each attempt). */
  readonly command: Command | ((state: State) => Command | Promise<Command>);
  readonly context: CommandContext;
  /** Checks the loaded state before the decision; throws to refuse the command (`If-Match`). */
  readonly precondition?: (loaded: Loaded<State>) => void;
  /** The stream is probably new: it is read only if deciding and appending without that fails. */
  readonly isLikelyNew?: boolean;
}

/** The result of a command. No events means that there was nothing to do. */
export interface Outcome<State, Event> extends Loaded<State> {
  readonly events: readonly Event[];
}

export interface CommandHandlerOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How many attempts a command gets when others keep changing its stream; default 10. */
  readonly tries?: number;
  /** How long an append of unknown outcome is repeated before it fails; default 20,000. */
  readonly patienceMs?: number;
  /** Provides the snapshots from which streams that are not cached are folded. */
  readonly snapshotOf?: SnapshotOf;
}

/** Loads a stream, folds it, decides, and appends the resulting events at the loaded revision. */
export class CommandHandler {
  private readonly turns = new KeyedMutex();
  private readonly streams: AggregateCache;
  private readonly now: () => number;
  private readonly tries: number;
  private readonly patienceMs: number;

  constructor(
    private readonly log: EventLog,
    { now = Date.now, tries = 10, patienceMs = 20_000, snapshotOf }: CommandHandlerOptions = {},
  ) {
    this.streams = new AggregateCache(log, undefined, snapshotOf);
    this.now = now;
    this.tries = tries;
    this.patienceMs = patienceMs;
  }

  load<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<Loaded<State>> {
    return this.streams.load(decider, stream);
  }

  run<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
  ): Promise<Outcome<State, Event>> {
    return this.turns.run(run.stream, () =>
      run.isLikelyNew === true ? this.createExclusively(run) : this.tryExclusively(run, 0),
    );
  }

  instant(): string {
    return toInstant(this.now());
  }

  /** The metadata of the next event. If the clock was put back, the last event's time is kept. */
  metadata(
    context: CommandContext,
    { recordedAt }: Pick<Loaded<unknown>, 'recordedAt'>,
  ): Omit<EventMetadata, 'schema'> {
    const about = {
      account_id: context.accountId,
      actor: context.actor,
      request_id: context.requestId,
    };
    const now = this.instant();
    return recordedAt !== undefined && recordedAt > now
      ? { ...about, recorded_at: recordedAt, time_kept: true }
      : { ...about, recorded_at: now };
  }

  /** Appends at the loaded revision; undefined when the stream has changed, which is final. */
  async appendAt(
    stream: StreamName,
    events: readonly NewEvent[],
    revision: number | undefined,
  ): Promise<Appended | undefined> {
    try {
      return await this.append(stream, events, revision ?? 'no stream');
    } catch (error) {
      if (isEventLogError(error, 'wrong_revision')) return undefined;
      throw error;
    }
  }

  /** Repeats the identical append after an unknown outcome, until it is known or time is up. */
  private async append(
    stream: StreamName,
    events: readonly NewEvent[],
    expected: Expected,
  ): Promise<Appended> {
    const deadline = performance.now() + this.patienceMs;
    let unknown: EventLogError | undefined;
    for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      try {
        return await this.log.append(stream, events, expected);
      } catch (error) {
        if (isEventLogError(error, 'unknown_outcome')) unknown = error;
        if (unknown === undefined || isEventLogError(error, 'wrong_revision', 'too_large'))
          throw error;
        // 'unavailable' now does not rule out that an earlier append was written
        if (performance.now() > deadline)
          throw error === unknown
            ? unknown
            : new EventLogError(unknown.fault, unknown.message, { cause: error });
        await sleep(waitMs * (0.5 + Math.random() / 2));
      }
    }
  }

  /**
   * Assumes at first that the stream does not exist. This first attempt counts only if it creates
   * the stream, or if its outcome is unknown. Anything else, including a refusal by the decider,
   * means nothing before the stream has been read, so the ordinary attempts follow.
   */
  private async createExclusively<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
  ): Promise<Outcome<State, Event>> {
    let first: unknown;
    try {
      const outcome = await this.tryOnce(run, nothingLoaded(run.decider), 0);
      if (outcome !== undefined && outcome.events.length > 0) return outcome;
    } catch (error) {
      if (isEventLogError(error, 'unknown_outcome')) throw error;
      first = error;
    }
    try {
      return await this.tryExclusively(run, 1);
    } catch (error) {
      // the first error may hold the reason for the log's trouble
      if (first instanceof EventLogError && error instanceof EventLogError && error !== first)
        error.cause ??= first;
      throw error;
    }
  }

  private async tryExclusively<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
    firstTry: number,
  ): Promise<Outcome<State, Event>> {
    for (let attempt = firstTry; attempt < firstTry + this.tries; attempt++) {
      if (attempt > firstTry) await sleep(Math.random() * Math.min(5 * 2 ** attempt, 200));
      const outcome = await this.tryOnce(run, await this.load(run.decider, run.stream), attempt);
      if (outcome !== undefined) return outcome;
    }
    throw new DomainError(
      'unavailable',
      `This record was changed concurrently ${this.tries} times in a row. Retry the request.`,
    );
  }

  /** Decides on the loaded state and appends; undefined when the stream has changed since. */
  private async tryOnce<Command, State, Event extends DomainEvent>(
    { stream, decider, command, context, precondition }: Run<Command, State, Event>,
    loaded: Loaded<State>,
    attempt: number,
  ): Promise<Outcome<State, Event> | undefined> {
    precondition?.(loaded);
    const asked = isFunctionOf<State, Command>(command) ? await command(loaded.state) : command;
    const events = decider.decide(asked, loaded.state);
    if (events.length === 0) return { ...loaded, events };
    const metadata = this.metadata(context, loaded);
    const newEvents = events.map((event, index) =>
      encodeEvent(event, eventIdOf(context.commandId, stream, attempt, index), metadata),
    );
    const appended = await this.appendAt(stream, newEvents, loaded.revision);
    return appended && outcomeOf(decider, loaded, { events, appended, metadata });
  }
}

/** The outcome of appending events to a loaded stream: its state with these events folded in. */
export const outcomeOf = <State, Event extends DomainEvent>(
  decider: Decider<never, State, Event>,
  loaded: Loaded<State>,
  {
    events,
    appended,
    metadata,
  }: {
    readonly events: readonly Event[];
    readonly appended: Appended;
    readonly metadata: Pick<EventMetadata, 'account_id' | 'recorded_at'>;
  },
): Outcome<State, Event> => {
  const first = appended.revision - events.length + 1;
  const state = events.reduce(
    (before, event, index) =>
      decider.evolve(before, event, metaOf({ revision: first + index, metadata })),
    loaded.state,
  );
  const { revision, position } = appended;
  return {
    state,
    events,
    accountId: loaded.accountId ?? metadata.account_id ?? undefined,
    revision,
    position,
    recordedAt: metadata.recorded_at,
  };
};

const isFunctionOf = <State, Command>(
  command: Command | ((state: State) => Command | Promise<Command>),
): command is (state: State) => Command | Promise<Command> => typeof command === 'function';
