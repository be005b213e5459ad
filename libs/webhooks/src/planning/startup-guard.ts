import { comparePositions, streams, type EventId, type Position } from '@refledger/contracts';
import {
  processorDecider,
  pendingDecision,
  type ProcessorState,
  type ResumeFrom,
} from '@refledger/domain';
import type { Offset, EventBus } from '@refledger/event-bus';
import { newContext, type CommandHandler, type EventLog } from '@refledger/event-log';
import { dispatcherName } from '../dispatcher-name.js';
import type { DeliveryStore } from '../stores/delivery-store.js';
import type { LostEvents } from './lost-events.js';

export interface StartupGuardOptions {
  readonly log: Pick<EventLog, 'readStream' | 'head'>;
  readonly bus: Pick<EventBus, 'offsetsAt'>;
  readonly store: Pick<DeliveryStore, 'id' | 'resetOffsets'>;
  readonly runner: CommandHandler;
  readonly lostEvents: Pick<LostEvents, 'cancel'>;
}

/**
 * Whether the dispatcher may go on with its store, by what the log says of it. It notes its store when it makes it; noted but another or missing
 * refuses, since it would send again or leave out, until an operator decides where to go on. Not noted is a first start.
 */
export class StartupGuard {
  private skipped: ReadonlySet<string> = new Set();
  /** The last decision that this dispatcher knows to be followed, by its revision. */
  private followed = -1;

  constructor(private readonly options: StartupGuardOptions) {}

  /** Looks at the log, follows a decision where one is needed, and notes the store. Answers why it may not go on, or undefined when it may. */
  async admit(): Promise<string | undefined> {
    const state = await this.look();
    const { store } = this.options;
    const decision = pendingDecision(state);
    if (decision === undefined) this.followed = state.resumed?.revision ?? -1;
    if (state.store_id === store.id) return undefined;
    if (decision !== undefined) return this.follow(decision);
    if (state.store_id === undefined) await this.note();
    else
      return `the log says that deliveries are kept in store ${state.store_id}, and this is ${store.id}: it is missing or another one`;
    return undefined;
  }

  /** As `admit`, for an offset that the bus doesn't have: only a decision goes on, which another dispatcher of this store may have followed. Answers false while there is none. */
  async decided(): Promise<boolean> {
    const state = await this.look();
    const decision = pendingDecision(state);
    if (decision !== undefined) return (await this.follow(decision)) === undefined;
    const known = this.followed;
    this.followed = state.resumed?.revision ?? -1;
    return this.followed > known;
  }

  /** The bus has the offset: a decision that waits was not needed, and must not be followed at some later stop that nobody had in mind. Answers what it was. */
  async forgetDecision(): Promise<ResumeFrom | undefined> {
    const decision = pendingDecision(await this.look());
    if (decision !== undefined) await this.note();
    return decision?.from;
  }

  /** What was skipped as of the last look. */
  readonly isSkipped = (eventId: EventId): boolean => this.skipped.has(eventId);

  /** Reads what operators decided since. */
  async look(): Promise<ProcessorState> {
    const { state } = await this.options.runner.load(processorDecider, stream);
    this.skipped = state.skipped;
    return state;
  }

  /** Repeated after a crash it comes to the same: `head` is where the decision itself stands. */
  private async follow({
    from,
    revision,
  }: {
    readonly from: ResumeFrom;
    readonly revision: number;
  }): Promise<string | undefined> {
    const position = await this.positionOf(from, revision);
    const head = await this.options.log.head();
    if (position !== undefined && (head === undefined || comparePositions(position, head) > 0))
      return `an operator decided to go on after position ${position}, which the log has not reached: decide again`;
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
    const context = newContext({
      accountId: null,
      actor: dispatcherName,
      requestId: dispatcherName,
    });
    await this.options.runner.run({
      stream,
      decider: processorDecider,
      command: { type: 'open', processor: dispatcherName, store_id: this.options.store.id },
      context,
    });
  }
}

const stream = streams.processor(dispatcherName);
