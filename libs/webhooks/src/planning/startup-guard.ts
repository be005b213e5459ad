import { comparePositions, streams, type EventId, type Position } from '@refledger/contracts';
import {
  processorDecider,
  pendingDecision,
  type ProcessorState,
  type ResumeFrom,
} from '@refledger/domain';
import type { Offset, EventBus } from '@refledger/event-bus';
import { newContext, type CommandHandler } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import { dispatcherName } from '../dispatcher-options.js';
import type { DeliveryStore } from '../stores/delivery-store.js';
import type { LostEvents } from './lost-events.js';

export interface StartupGuardOptions {
  readonly log: Pick<EventLog, 'readStream' | 'head'>;
  readonly bus: Pick<EventBus, 'offsetsAt'>;
  readonly store: Pick<DeliveryStore, 'id' | 'resetOffsets'>;
  readonly commands: CommandHandler;
  readonly lostEvents: Pick<LostEvents, 'cancel'>;
}

/**
 * Decides from the log whether the dispatcher may use its store. The first start records the
 * store's id in the log. When the recorded id is not that of this store, the dispatcher refuses to
 * continue until an operator decides where to resume, since it would send deliveries twice or omit
 * some.
 */
export class StartupGuard {
  private skipped: ReadonlySet<string> = new Set();
  /** The revision of the last decision that this dispatcher knows to be applied. */
  private followed = -1;

  constructor(private readonly options: StartupGuardOptions) {}

  /**
   * Reads the log, applies a pending decision where one is needed, and records the store. Resolves
   * to the reason why the dispatcher may not continue, or to undefined when it may.
   */
  async admit(): Promise<string | undefined> {
    const state = await this.poll();
    const { store } = this.options;
    const decision = pendingDecision(state);
    if (decision === undefined) this.followed = state.resumed?.revision ?? -1;
    if (state.store_id === store.id) return undefined;
    if (decision !== undefined) return this.follow(decision);
    if (state.store_id !== undefined)
      return `the log names delivery store ${state.store_id}, but this is ${store.id}: the recorded store is missing or was replaced`;
    await this.note();
    return undefined;
  }

  /**
   * Like `admit`, for an offset that the bus doesn't have. Only a decision lets the dispatcher
   * continue, including one that another dispatcher of this store has applied. Resolves to false
   * while there is none.
   */
  async applyDecision(): Promise<boolean> {
    const state = await this.poll();
    const decision = pendingDecision(state);
    if (decision !== undefined) return (await this.follow(decision)) === undefined;
    const known = this.followed;
    this.followed = state.resumed?.revision ?? -1;
    return this.followed > known;
  }

  /**
   * Discards a pending decision because the bus has the offset: the decision was not needed, and
   * must not take effect at a later stop. Resolves to where it would have resumed.
   */
  async forgetDecision(): Promise<ResumeFrom | undefined> {
    const decision = pendingDecision(await this.poll());
    if (decision !== undefined) await this.note();
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
   * Applies a decision. Doing so again after a crash has the same result, since `head` means the
   * position of the decision's own event.
   */
  private async follow({ from, revision }: Decision): Promise<string | undefined> {
    const position = await this.positionOf(from, revision);
    const head = await this.options.log.head();
    if (position !== undefined && (head === undefined || comparePositions(position, head) > 0))
      return `an operator decided to continue after position ${position}, which the log has not reached`;
    await this.options.lostEvents.cancel();
    const offsets: readonly Offset[] =
      position === undefined ? [] : await this.options.bus.offsetsAt(position);
    await this.options.store.resetOffsets(offsets, position);
    await this.note();
    this.followed = revision;
    return undefined;
  }

  private async positionOf(from: ResumeFrom, revision: number): Promise<Position | undefined> {
    if (from === 'start') return undefined;
    if (from !== 'head') return from;
    for await (const [decision] of this.options.log.readStream(stream, {
      from: revision,
      to: revision,
    }))
      return decision?.position;
    return undefined;
  }

  private async note(): Promise<void> {
    await this.options.commands.run({
      stream,
      decider: processorDecider,
      command: { type: 'open', processor: dispatcherName, store_id: this.options.store.id },
      context: newContext({ accountId: null, actor: dispatcherName, requestId: dispatcherName }),
    });
  }
}

type Decision = NonNullable<ProcessorState['resumed']>;

const stream = streams.processor(dispatcherName);
