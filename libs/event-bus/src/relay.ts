import type { Checkpoint, Position } from '@refledger/contracts';
import { streams } from '@refledger/contracts';
import { processorDecider, pendingDecision, type ProcessorState } from '@refledger/domain';
import {
  backoffMs,
  CommandHandler,
  follow,
  ProcessorProgress,
  ProcessorRefusal,
  newContext,
  abortableSleep,
  PoisonEvent,
  UnreadableEvent,
  type EventLog,
  type EventProcessor,
  type ProcessorLogger,
  type ProcessorStatus,
  type LogBatch,
  type LoggedEvent,
} from '@refledger/event-log';
import type { PublishedRecord } from './event-bus.js';
import type { Publication, PublicationSession, Turn } from './publication.js';
import { RecordMaker } from './record-maker.js';
import { eventDecided, faultOf, positionAfter, relayName, startOf } from './relay-beginning.js';

export interface RelayOptions {
  /** Must allow appending, because the relay notes its store as an event. */
  readonly log: EventLog;
  readonly publication: Publication;
  readonly logger: ProcessorLogger;
  /** The number of stream states cached to make records from. */
  readonly cacheSize?: number;
  readonly onStatus?: (status: RelayStatus) => void;
}

export interface RelayStatus extends ProcessorStatus {
  /** Another relay has the turn. */
  readonly standingBy: boolean;
}

/**
 * Follows the log while it has its turn, and publishes every public event once, in order per key.
 */
export class Relay {
  private readonly runner: CommandHandler;
  private readonly progress: ProcessorProgress;
  private standingBy = false;
  private session: PublicationSession | undefined;
  private maker: RecordMaker;

  constructor(private readonly options: RelayOptions) {
    const { log, onStatus = () => undefined } = options;
    this.runner = new CommandHandler(log);
    this.progress = new ProcessorProgress(() => onStatus(this.status()), Date.now);
    this.maker = new RecordMaker({ log });
  }

  status(): RelayStatus {
    return { ...this.progress.status(), standingBy: this.standingBy };
  }

  /** Runs until the signal aborts. `deliver` must pass each batch to `publish`. */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const turn = await this.options.publication.turn(signal, () => this.standBy(true));
        this.standBy(false);
        failures = 0;
        await follow(this.processor(turn, deliver), AbortSignal.any([signal, turn.over]));
        turn.over.throwIfAborted();
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
    if (this.session === undefined) throw new Error('the relay has not begun');
    const records: PublishedRecord[] = [];
    let through: LoggedEvent | undefined;
    let poison: PoisonEvent | undefined;
    for (const event of events) {
      try {
        const record = await this.maker.make(event);
        if (record !== undefined) records.push(record);
        through = event;
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error;
        poison = new PoisonEvent(event, error);
        break;
      }
    }
    if (through !== undefined) await this.session.publish(records, this.checkpointAt(through));
    if (poison !== undefined) throw poison;
  }

  private processor(turn: Turn, deliver: (batch: LogBatch) => Promise<void>): EventProcessor {
    const { log, logger } = this.options;
    return {
      name: relayName,
      log,
      logger,
      progress: this.progress,
      begin: (decisions) => this.begin(turn, decisions),
      handle: deliver,
    };
  }

  /**
   * Begins a new session before every subscription, so that the errors of the last one have no
   * effect.
   */
  private async begin(turn: Turn, decisions: ProcessorState): Promise<Position | undefined> {
    const { log, logger, cacheSize } = this.options;
    await this.closeSession();
    this.session = await turn.begin();
    this.maker = new RecordMaker({
      log,
      isSkipped: (id) => decisions.skipped.has(id),
      ...(cacheSize !== undefined && { cacheSize }),
    });
    const decision = pendingDecision(decisions);
    const fault = await faultOf(log, this.session, decisions);
    if (fault !== undefined) {
      if (decision === undefined) throw new ProcessorRefusal(fault);
      const event = await eventDecided(log, decision);
      await this.session.publish([], event === undefined ? startOf(log) : this.checkpointAt(event));
      await this.note(this.session);
      return event?.position;
    }
    if (decision !== undefined)
      logger.warn(
        { from: decision.from },
        `the decision to resume from ${decision.from} was not needed and is not followed: the relay has its checkpoint`,
      );
    // The decider makes no event if the store is noted already.
    await this.note(this.session);
    return positionAfter(this.session.checkpoint);
  }

  private async note({ storeId }: PublicationSession): Promise<void> {
    const context = newContext({ accountId: null, actor: relayName, requestId: relayName });
    await this.runner.run({
      stream: streams.processor(relayName),
      decider: processorDecider,
      command: { type: 'open', processor: relayName, store_id: storeId },
      context,
    });
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
        ? 'the relay stands by: another one publishes'
        : 'the relay has its turn to publish',
    );
    this.options.onStatus?.(this.status());
  }

  private async waitAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const wait = backoffMs(failures, Math.random());
    this.standBy(false);
    this.progress.fails('retrying', error);
    this.options.logger.warn(
      { failures, wait_ms: Math.round(wait), err: error },
      'the relay tries again to get its turn',
    );
    await abortableSleep(wait, signal);
  }
}
