import { setTimeout as sleep } from 'node:timers/promises';
import {
  DomainError,
  eventIdOf,
  toInstant,
  type DomainEvent,
  type EventMetadata,
  type StreamName,
} from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import {
  encodeEvent,
  EventLogError,
  isEventLogError,
  nothingLoaded,
  type AppendResult,
  type EventLog,
  type LoadedStream,
  type NewEvent,
} from '@refledger/event-log';
import { AggregateCache } from './aggregate-cache.js';
import { appendUntilDefinite } from './append-until-definite.js';
import type { CommandContext } from './command-context.js';
import { KeyedMutex } from './keyed-mutex.js';
import { outcomeOf, type Outcome } from './outcome.js';
import type { SnapshotOf } from './snapshots.js';

export interface Run<Command, State, Event> {
  readonly stream: StreamName;
  readonly decider: Decider<Command, State, Event>;
  /** The command, or a function that makes it (called on each attempt). */
  readonly command: Command | MakeCommand<Command, State>;
  readonly context: CommandContext;
  /** Checks the loaded state before the decision; throws to refuse the command (`If-Match`). */
  readonly precondition?: (loaded: LoadedStream<State>) => void;
  /**
   * The stream is probably new: it is read only if deciding and appending without reading it fails.
   */
  readonly isLikelyNew?: boolean;
  readonly appender?: Appender<State, Event>;
  /** The time of the command of which this one is a part; default: now. */
  readonly recordedAt?: string;
}

/**
 * Makes a command from the loaded state and the instant at which its events will be recorded (RFC
 * 3339 in UTC with milliseconds). Undefined when the stream has changed and must be loaded again.
 */
type MakeCommand<Command, State> = (
  state: State,
  recordedAt: string,
) => Command | undefined | Promise<Command | undefined>;

/** Takes the place of the plain append. Other commands on the stream don't wait for it. */
interface Appender<State, Event> {
  /**
   * Appends the events; undefined when the stream has changed and the command must decide again.
   */
  readonly append: (decision: Decision<State, Event>) => Promise<AppendResult | undefined>;
  readonly maxAttempts: number;
  /** Names the record in the error after the last attempt. */
  readonly recordName: string;
}

/** Events that an attempt has decided but not yet appended. */
export interface Decision<State, Event> {
  readonly events: readonly Event[];
  /** The same events in the form in which they are appended. */
  readonly newEvents: readonly NewEvent[];
  readonly loaded: LoadedStream<State>;
  /** Starts at 0 and rises by one each time the same command decides again. */
  readonly attempt: number;
}

export interface CommandHandlerOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How many attempts a command gets when others keep changing its stream; default 10. */
  readonly maxAttempts?: number;
  /** How long an append with an unknown outcome is repeated before it fails; default 20,000. */
  readonly timeoutMs?: number;
  /** Provides the snapshots from which streams that are not cached are folded. */
  readonly snapshotOf?: SnapshotOf;
}

/** Loads a stream, folds it, decides, and appends the resulting events at the loaded revision. */
export class CommandHandler {
  private readonly mutex = new KeyedMutex();
  private readonly cache: AggregateCache;
  private readonly options: Required<Omit<CommandHandlerOptions, 'snapshotOf'>>;

  constructor(
    private readonly log: EventLog,
    { snapshotOf, ...options }: CommandHandlerOptions = {},
  ) {
    this.cache = new AggregateCache(log, undefined, snapshotOf);
    this.options = { now: Date.now, maxAttempts: 10, timeoutMs: 20_000, ...options };
  }

  load<State, Event extends DomainEvent>(
    decider: Decider<never, State, Event>,
    stream: StreamName,
  ): Promise<LoadedStream<State>> {
    return this.cache.load(decider, stream);
  }

  run<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
  ): Promise<Outcome<State, Event>> {
    if (run.appender !== undefined) return this.repeat(run);
    return this.mutex.run(run.stream, () =>
      run.isLikelyNew === true ? this.create(run) : this.repeat(run),
    );
  }

  instant(): string {
    return toInstant(this.options.now());
  }

  /** The metadata of the next event. If the clock was set back, the last event's time is kept. */
  metadata(
    context: CommandContext,
    { recordedAt }: Pick<LoadedStream<unknown>, 'recordedAt'>,
    now = this.instant(),
  ): Omit<EventMetadata, 'schema'> {
    const isPutBack = recordedAt !== undefined && recordedAt > now;
    return {
      account_id: context.accountId,
      actor: context.actor,
      request_id: context.requestId,
      recorded_at: isPutBack ? recordedAt : now,
      ...(isPutBack && { time_kept: true }),
    };
  }

  /**
   * Appends at the loaded revision; undefined when the stream has changed, so that this append can
   * never succeed.
   */
  async appendAt(
    stream: StreamName,
    events: readonly NewEvent[],
    revision: number | undefined,
  ): Promise<AppendResult | undefined> {
    try {
      const append = () => this.log.append(stream, events, revision ?? 'no stream');
      return await appendUntilDefinite(append, this.options.timeoutMs);
    } catch (error) {
      if (isEventLogError(error, 'wrong_revision')) return undefined;
      throw error;
    }
  }

  /**
   * Assumes at first that the stream does not exist. This first attempt counts only if it creates
   * the stream, or if its outcome is unknown. Anything else, including a refusal by the decider,
   * means nothing until the stream has been read, so the ordinary attempts follow.
   */
  private async create<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
  ): Promise<Outcome<State, Event>> {
    let first: unknown;
    try {
      const outcome = await this.attempt(run, nothingLoaded(run.decider), 0);
      if (outcome !== undefined && outcome.events.length > 0) return outcome;
    } catch (error) {
      if (isEventLogError(error, 'unknown_outcome')) throw error;
      first = error;
    }
    try {
      return await this.repeat(run, 1);
    } catch (error) {
      // the first error may explain why the log fails
      if (first instanceof EventLogError && error instanceof EventLogError && error !== first)
        error.cause ??= first;
      throw error;
    }
  }

  private async repeat<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
    first = 0,
  ): Promise<Outcome<State, Event>> {
    const { maxAttempts = this.options.maxAttempts, recordName = 'This record' } =
      run.appender ?? {};
    for (let attempt = first; attempt < first + maxAttempts; attempt++) {
      if (attempt > first) await sleep(Math.random() * Math.min(5 * 2 ** attempt, 200));
      const outcome = await this.attempt(run, await this.load(run.decider, run.stream), attempt);
      if (outcome !== undefined) return outcome;
    }
    throw new DomainError(
      'unavailable',
      `${recordName} was changed concurrently ${maxAttempts} times in a row. Retry the request.`,
    );
  }

  /** Decides on the loaded state and appends; undefined when the stream has changed since. */
  private async attempt<Command, State, Event extends DomainEvent>(
    run: Run<Command, State, Event>,
    loaded: LoadedStream<State>,
    attempt: number,
  ): Promise<Outcome<State, Event> | undefined> {
    const { stream, decider, command, context, precondition, appender, recordedAt } = run;
    precondition?.(loaded);
    // read the clock once, so that a decision about time agrees with the time of its events
    const metadata = this.metadata(context, loaded, recordedAt);
    const asked = isFunction<State, Command>(command)
      ? await command(loaded.state, metadata.recorded_at)
      : command;
    if (asked === undefined) return undefined;
    const events = decider.decide(asked, loaded.state);
    if (events.length === 0) return { ...loaded, events };
    const newEvents = events.map((event, index) =>
      encodeEvent(
        event,
        eventIdOf(context.commandId, stream, attempt, index),
        index < events.length - 1 ? { ...metadata, append_continues: true } : metadata,
      ),
    );
    const appended = await (appender === undefined
      ? this.appendAt(stream, newEvents, loaded.revision)
      : appender.append({ events, newEvents, loaded, attempt }));
    return appended && outcomeOf(decider, loaded, { events, appended, metadata });
  }
}

const isFunction = <State, Command>(
  command: Command | MakeCommand<Command, State>,
): command is MakeCommand<Command, State> => typeof command === 'function';
