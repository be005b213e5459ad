import {
  comparePositions,
  streams,
  type EventId,
  type Position,
  type ProcessorStop,
} from '@refledger/contracts';
import {
  isSameStop,
  pendingDecision,
  pendingStop,
  processorDecider,
  type ProcessorCommand,
  type ProcessorState,
  type ResumeDecision,
  type ResumeFrom,
} from '@refledger/domain';
import type { Offset, EventBus } from '@refledger/event-bus';
import { newContext, type CommandHandler } from '@refledger/application';
import type { EventLog, ProcessorLogger } from '@refledger/event-log';
import {
  dispatcherName,
  isCurrentStop,
  partitionsOf,
  stopAtPartition,
  stopAtStore,
  type StoreAsFound,
} from '@refledger/webhook-endpoints';
import type { DeliveryStore } from '@refledger/delivery-store';
import type { LostEvents } from './lost-events.js';

export interface StartupGuardOptions {
  readonly log: Pick<EventLog, 'readStream' | 'head'>;
  readonly bus: Pick<EventBus, 'offsetsAt'>;
  readonly store: Pick<DeliveryStore, 'id' | 'offsets' | 'resetOffsets'>;
  readonly commands: CommandHandler;
  readonly lostEvents: Pick<LostEvents, 'cancel'>;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
}

/**
 * Decides from the log whether the dispatcher may use its store. The first start records the
 * store's id in the log. When the recorded id is not that of this store, the dispatcher refuses to
 * continue until an operator decides where to resume, since it would send deliveries twice or omit
 * some. It records each stop in the log, and carries out only a decision about such a stop: any
 * other one is discarded, so that it takes no effect at a later stop.
 */
export class StartupGuard {
  private skipped: ReadonlySet<string> = new Set();
  /** The revision of the last decision that this dispatcher knows to be carried out. */
  private followed = -1;
  /** The stop that this dispatcher has recorded, until it is over. */
  private recorded: ProcessorStop | undefined;

  constructor(private readonly options: StartupGuardOptions) {}

  /**
   * Reads the log, carries out a pending decision where one is needed, and records the store.
   * Resolves to the reason why the dispatcher may not continue, or to undefined when it may.
   */
  async admit(): Promise<string | undefined> {
    const state = await this.poll();
    const { store } = this.options;
    const { store_id: recorded, followed_revision = -1 } = state;
    this.followed = followed_revision;
    if (recorded === store.id) return undefined;
    if (recorded !== undefined)
      return this.resolve(
        `the log names delivery store ${recorded}, but this is ${store.id}: the recorded store is missing or was replaced`,
        stopAtStore(state, await this.found()),
        state,
      );
    const decision = pendingDecision(state);
    if (decision !== undefined) this.warnOfDiscarded(decision, 'the webhook-dispatcher is new');
    await this.open();
    return undefined;
  }

  /**
   * For an offset of this partition that the bus doesn't have. The function resolves to whether the
   * dispatcher may continue because of a decision, including one that another dispatcher of this
   * store has carried out.
   */
  waitingAt(partition: string): () => Promise<boolean> {
    let stop: ProcessorStop | undefined;
    return async () => {
      const state = await this.poll();
      const { followed_revision = -1 } = state;
      if (followed_revision > this.followed) {
        this.followed = followed_revision;
        return true;
      }
      stop ??= stopAtPartition(state, await this.found(), partition);
      return (await this.resolve(partition, stop, state)) === undefined;
    };
  }

  /**
   * Ends a stop, and discards a decision, that this running dispatcher shows to be over: they are
   * not about the store as it is, or about a partition that the bus has just assigned. Without
   * newly assigned partitions, it only discards decisions: the stop is recorded by another
   * dispatcher, which would record it again. Resolves to where the decision would have resumed.
   */
  async discardDecision(assigned: ReadonlySet<string>): Promise<ResumeFrom | undefined> {
    const state = await this.poll();
    const decision = pendingDecision(state);
    const stop = decision === undefined ? pendingStop(state) : decision.stop;
    if (decision === undefined && (stop === undefined || assigned.size === 0)) return undefined;
    const isRunning = partitionsOf(stop).some((partition) => assigned.has(partition));
    if (!isRunning && (await this.isCurrent(stop, state))) return undefined;
    await this.open();
    return decision?.from;
  }

  /** Whether an event was skipped, as of the last `poll`. */
  readonly isSkipped = (eventId: EventId): boolean => this.skipped.has(eventId);

  /** Reads the latest decisions of operators. */
  async poll(): Promise<ProcessorState> {
    const { state } = await this.options.commands.load(processorDecider, stream);
    this.skipped = state.skipped;
    return state;
  }

  /**
   * Carries out a decision about the store as it is. Without one, records this stop, and resolves to
   * its reason.
   */
  private async resolve(
    reason: string,
    stop: ProcessorStop,
    state: ProcessorState,
  ): Promise<string | undefined> {
    const decision = pendingDecision(state);
    if (decision !== undefined && (await this.isCurrent(decision.stop, state)))
      return this.follow(decision);
    const isRecorded = isSameStop(this.recorded, stop) && pendingStop(state) !== undefined;
    if (decision === undefined && isRecorded) return reason;
    if (decision !== undefined) this.warnOfDiscarded(decision, 'it is not about this stop');
    await this.record({ type: 'stop', processor: dispatcherName, stop });
    this.recorded = stop;
    return reason;
  }

  /**
   * Carries out a decision. Doing so again after a crash has the same result, since `head` means
   * the position of the decision's own event.
   */
  private async follow(decision: ResumeDecision): Promise<string | undefined> {
    const position = await this.positionOf(decision);
    const head = await this.options.log.head();
    if (position !== undefined && (head === undefined || comparePositions(position, head) > 0))
      return `an operator decided to continue after position ${position}, which the log has not reached`;
    await this.options.lostEvents.cancel();
    const offsets: readonly Offset[] =
      position === undefined ? [] : await this.options.bus.offsetsAt(position);
    await this.options.store.resetOffsets(offsets, position);
    await this.open(decision);
    this.followed = decision.revision;
    this.recorded = undefined;
    return undefined;
  }

  private async positionOf({ from, revision }: ResumeDecision): Promise<Position | undefined> {
    if (from === 'start') return undefined;
    if (from !== 'head') return from;
    for await (const [decision] of this.options.log.readStream(stream, {
      from: revision,
      to: revision,
    }))
      return decision?.position;
    return undefined;
  }

  private async isCurrent(
    stop: ProcessorStop | null | undefined,
    state: ProcessorState,
  ): Promise<boolean> {
    return isCurrentStop(stop, state, await this.found());
  }

  private async found(): Promise<StoreAsFound> {
    const { store } = this.options;
    return { id: store.id, offsets: await store.offsets() };
  }

  private warnOfDiscarded({ from }: ResumeDecision, why: string): void {
    this.options.logger.warn({ from }, `the decision to resume from ${from} is ignored: ${why}`);
  }

  private open(decision?: ResumeDecision): Promise<void> {
    const { id: store_id } = this.options.store;
    return this.record({ type: 'open', processor: dispatcherName, store_id, decision });
  }

  private async record(command: ProcessorCommand): Promise<void> {
    const about = { accountId: null, actor: dispatcherName, requestId: dispatcherName };
    const context = newContext(about);
    await this.options.commands.run({ stream, decider: processorDecider, command, context });
  }
}

const stream = streams.processor(dispatcherName);
