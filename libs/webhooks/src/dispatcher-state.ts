import { EventEmitter } from 'node:events';
import type { ProcessorLogger } from '@refledger/event-log';
import { sleepOnClock, type Clock, type Outgoing } from '@refledger/webhook-endpoints';
import type { DispatcherStatus } from './dispatcher-reports.js';
import { BlockedWork } from './blocked-work.js';

export interface DispatcherStateOptions {
  readonly clock: Clock;
  readonly logger: ProcessorLogger;
  readonly outgoing: Outgoing;
}

/**
 * Whether the dispatcher is running and, if not, what it is waiting for. While it waits for an
 * operator's decision, it polls the log for that decision. Emits `change`.
 */
export class DispatcherState extends EventEmitter<{ change: [] }> {
  /** By reason for waiting: whether the dispatcher stops sending until the wait is over. */
  private readonly waits = new Map<string, boolean>();
  /** What waits for personal data that does not open, while everything else continues. */
  readonly blockedWork: BlockedWork;
  private failure: string | undefined;
  private assigned = false;
  private closed = false;

  constructor(private readonly options: DispatcherStateOptions) {
    super();
    this.blockedWork = new BlockedWork(options.clock);
    options.outgoing.on('change', () => this.emit('change'));
  }

  get state(): DispatcherStatus['state'] {
    if (this.closed) return 'closed';
    if (this.waits.size > 0) return 'stopped';
    if (!this.assigned) return 'starting';
    return this.failure === undefined && this.blockedWork.reason === undefined
      ? 'running'
      : 'retrying';
  }

  get reason(): string | undefined {
    return this.waits.size === 0
      ? (this.failure ?? this.blockedWork.reason)
      : [...this.waits.keys()].join('; ');
  }

  /**
   * Whether deliveries go out. They also do while the bus is unavailable, and while only some of
   * its events wait.
   */
  get maySend(): boolean {
    const isBlocked = this.sendsNothing !== undefined || [...this.waits.values()].includes(true);
    return !this.closed && this.assigned && !isBlocked;
  }

  /** Why no delivery goes out, although nothing is wrong; undefined if they go out. */
  get sendsNothing(): string | undefined {
    return this.options.outgoing.blocked;
  }

  /** Records whether the bus has accepted the dispatcher's offsets. */
  assign(assigned: boolean): void {
    if (assigned === this.assigned) return;
    this.assigned = assigned;
    this.emit('change');
  }

  /** Records the error after which consuming is retried; undefined once it works again. */
  setFailure(failure: string | undefined): void {
    this.failure = failure;
  }

  close(): void {
    this.closed = true;
    this.emit('change');
  }

  /**
   * Logs an error, and stops until `decided` resolves to true or `signal` aborts. With
   * `keepsSending`, it keeps sending the deliveries that are already planned.
   */
  async waitFor(
    reason: string,
    signal: AbortSignal,
    decided: () => Promise<boolean>,
    { keepsSending = false }: { readonly keepsSending?: boolean } = {},
  ): Promise<void> {
    this.waits.set(reason, !keepsSending);
    this.emit('change');
    this.options.logger.error({ reason }, `the webhook-dispatcher has stopped: ${reason}`);
    while (!signal.aborted && !(await this.isDecided(decided)))
      await sleepOnClock(this.options.clock, pollMs, signal);
    this.waits.delete(reason);
    if (!signal.aborted) this.options.logger.info({ reason }, 'the webhook-dispatcher continues');
    this.emit('change');
  }

  /** Logs an error, once, and stops until the service is started again. */
  stopPermanently(reason: string): void {
    if (this.waits.has(reason)) return;
    this.waits.set(reason, true);
    this.options.logger.error({ reason }, `the webhook-dispatcher has stopped: ${reason}`);
    this.emit('change');
  }

  /** Asks for a decision; an error counts as none. */
  async isDecided(decided: () => Promise<boolean>): Promise<boolean> {
    try {
      return await decided();
    } catch (error) {
      this.options.logger.warn(
        { err: error },
        'the webhook-dispatcher could not check for a decision; retrying',
      );
      return false;
    }
  }
}

const pollMs = 250;
