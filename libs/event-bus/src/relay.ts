import { streams, type Checkpoint, type Position } from '@refledger/contracts';
import {
  isSameStop,
  pendingDecision,
  processorDecider,
  type ProcessorCommand,
  type ProcessorState,
} from '@refledger/domain';
import { CommandHandler, newContext } from '@refledger/application';
import {
  backoffMs,
  follow,
  ProcessorProgress,
  ProcessorRefusal,
  abortableSleep,
  PoisonEvent,
  UnreadableEvent,
  type EventLog,
  type ProcessorLogger,
  type ProcessorStatus,
  type LogBatch,
  type LoggedEvent,
} from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import type { Publication, PublicationSession, Leadership } from './publication.js';
import { RecordMaker } from './record-maker.js';
import {
  eventOfDecision,
  faultOf,
  positionAfter,
  relayName,
  startOf,
  stopOf,
} from './relay-start.js';

export interface RelayOptions {
  /** Must allow appending, because the relay records its store as an event. */
  readonly log: EventLog;
  /** Opens the personal values in records. */
  readonly personalData: Pick<PersonalData, 'openRecords'>;
  readonly publication: Publication;
  readonly logger: ProcessorLogger;
  /** The number of stream states cached to make records from. */
  readonly cacheSize?: number;
  readonly onStatus?: (status: RelayStatus) => void;
}

/** The relay's state as operators and health checks see it. */
export interface RelayStatus extends ProcessorStatus {
  /** Another relay leads. */
  readonly standingBy: boolean;
}

/** Follows the log while it leads, and publishes every public event once, in order per key. */
export class Relay {
  private readonly commands: CommandHandler;
  private readonly progress: ProcessorProgress;
  private standingBy = false;
  private session: PublicationSession | undefined;
  private maker: RecordMaker;
  /** When the relay last looked for a decision, while it publishes. */
  private looked = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: RelayOptions) {
    const { log, personalData, onStatus = () => undefined } = options;
    this.commands = new CommandHandler(log);
    this.progress = new ProcessorProgress(() => onStatus(this.status()), Date.now);
    this.maker = new RecordMaker({ log, personalData });
  }

  status(): RelayStatus {
    return { ...this.progress.status(), standingBy: this.standingBy };
  }

  /** Runs until the signal aborts. `deliver` must pass each batch to `publish`. */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { progress } = this;
    const { log, logger, publication } = this.options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const leadership = await publication.lead(signal, () => this.standBy(true));
        this.standBy(false);
        failures = 0;
        const start = (decisions: ProcessorState) => this.start(leadership, decisions);
        const processor = { name: relayName, log, logger, progress, start, handle: deliver };
        await follow(processor, AbortSignal.any([signal, leadership.over]));
        leadership.over.throwIfAborted();
      } catch (error) {
        if (!signal.aborted) await this.waitAfter(error, ++failures, signal);
      } finally {
        await this.closeSession();
      }
    }
  }

  /**
   * Publishes the public events of a batch. If an event can't be published, publishes those before
   * it and throws `PoisonEvent`.
   */
  async publish({ events }: LogBatch): Promise<void> {
    const { session } = this;
    if (session === undefined) throw new Error('the relay has not started a session');
    const { records, through, failure } = await this.maker.makeAll(events);
    if (failure !== undefined && !(failure.error instanceof UnreadableEvent)) throw failure.error;
    if (through !== undefined) await session.publish(records, this.checkpointAt(through));
    if (events.some(isDecision) || performance.now() - this.looked >= lookMs)
      await this.discardDecision(session);
    if (failure !== undefined) throw new PoisonEvent(failure.event, failure.error);
  }

  /**
   * Starts a new session before every subscription, so that errors of the previous session have no
   * effect.
   */
  private async start(
    leadership: Leadership,
    decisions: ProcessorState,
  ): Promise<Position | undefined> {
    const { log, personalData, cacheSize } = this.options;
    await this.closeSession();
    this.session = await leadership.start();
    this.maker = new RecordMaker({
      log,
      personalData,
      isSkipped: (id) => decisions.skipped.has(id),
      ...(cacheSize !== undefined && { cacheSize }),
    });
    const fault = await faultOf(log, this.session, decisions);
    if (fault !== undefined) return this.followDecision(fault, this.session, decisions);
    await this.open(this.session, decisions);
    return positionAfter(this.session.checkpoint);
  }

  /**
   * Carries out the decision about this stop. Records the stop and throws `ProcessorRefusal` if
   * there is none, which also discards a decision about anything else.
   */
  private async followDecision(
    fault: string,
    session: PublicationSession,
    decisions: ProcessorState,
  ): Promise<Position | undefined> {
    const { log } = this.options;
    const { storeId } = session;
    const stop = stopOf(session, decisions);
    const decision = pendingDecision(decisions);
    if (decision === undefined || !isSameStop(decision.stop, stop)) {
      if (decision !== undefined) this.warnOfDiscarded(decision.from, 'it is not about this stop');
      await this.record({ type: 'stop', processor: relayName, stop });
      throw new ProcessorRefusal(fault);
    }
    const event = await eventOfDecision(log, decision);
    await session.publish([], event === undefined ? startOf(log) : this.checkpointAt(event));
    await this.record({ type: 'open', processor: relayName, store_id: storeId, decision });
    return event?.position;
  }

  /** Discards a decision that is made while the relay publishes, so that no later stop obeys it. */
  private async discardDecision(session: PublicationSession): Promise<void> {
    this.looked = performance.now();
    const { state } = await this.commands.load(processorDecider, stream);
    if (pendingDecision(state) !== undefined) await this.open(session, state);
  }

  /** Records the store, unless that is recorded. It ends a stop and discards a decision. */
  private async open({ storeId }: PublicationSession, state: ProcessorState): Promise<void> {
    const from = pendingDecision(state)?.from;
    if (from !== undefined) this.warnOfDiscarded(from, 'the relay has a valid checkpoint');
    await this.record({ type: 'open', processor: relayName, store_id: storeId });
  }

  private warnOfDiscarded(from: string, why: string): void {
    this.options.logger.warn({ from }, `the decision to resume from ${from} is ignored: ${why}`);
  }

  private async record(command: ProcessorCommand): Promise<void> {
    const context = newContext({ accountId: null, actor: relayName, requestId: relayName });
    await this.commands.run({ stream, decider: processorDecider, command, context });
  }

  private checkpointAt({ position, id }: LoggedEvent): Checkpoint {
    return { logId: this.options.log.id, position, eventId: id };
  }

  private async closeSession(): Promise<void> {
    await this.session?.close();
    this.session = undefined;
  }

  private standBy(standingBy: boolean): void {
    if (standingBy === this.standingBy) return;
    this.standingBy = standingBy;
    this.options.logger.info(
      {},
      standingBy
        ? 'the relay is standing by; another one is publishing'
        : 'the relay is publishing',
    );
    this.options.onStatus?.(this.status());
  }

  private async waitAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const wait = backoffMs(failures, Math.random());
    this.standBy(false);
    this.progress.fail('retrying', error);
    this.options.logger.warn(
      { failures, wait_ms: Math.round(wait), err: error },
      'the relay failed to take over publishing; retrying',
    );
    await abortableSleep(wait, signal);
  }
}

const stream = streams.processor(relayName);

const isDecision = (event: LoggedEvent): boolean =>
  event.stream === stream && event.type === 'processor.resumed';

/** How often a relay that has far to go looks for decisions. */
const lookMs = 1_000;
