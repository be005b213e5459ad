import { comparePositions, type Position } from '@refledger/contracts';
import type { LogBatch } from '../event-log.js';
import { messageOf } from '../message-of.js';

/** A processor's state as operators and health checks see it. */
export interface ProcessorStatus {
  /**
   * `live`: it has caught up since it started to follow the log, and keeps up as fast as it can;
   * `retrying`: an attempt failed and will be repeated; `stopped`: it waits for an operator.
   */
  readonly state: 'catching_up' | 'live' | 'retrying' | 'stopped';
  /** How far the log has been processed. */
  readonly position: Position | undefined;
  /** The end of the log when it was last checked. */
  readonly head: Position | undefined;
  /** Age of the oldest unprocessed event, as far as it is known; 0 at the head. */
  readonly lagSeconds: number;
  readonly error?: string;
}

/** Tracks how far a processor has got. Times are in milliseconds since the epoch. */
export class ProcessorProgress {
  private state: ProcessorStatus['state'] = 'catching_up';
  private position: Position | undefined;
  private head: Position | undefined;
  private behindSince: number | undefined;
  private error: string | undefined;

  constructor(
    private readonly onChange: (status: ProcessorStatus) => void,
    readonly now: () => number,
  ) {
    this.behindSince = now();
  }

  status(): ProcessorStatus {
    const { state, position, head, error } = this;
    const lagSeconds =
      this.behindSince === undefined ? 0 : Math.max(0, this.now() - this.behindSince) / 1000;
    return { state, position, head, lagSeconds, ...(error !== undefined && { error }) };
  }

  /** A subscription starts after `position`; the log's end is at `head`. */
  start(position: Position | undefined, head: Position | undefined): void {
    this.position = position;
    this.head = head;
    if (this.isAtKnownHead) this.caughtUp(head);
    else this.become('catching_up');
  }

  /** A batch is about to be processed. */
  startBatch({ events: [first] }: LogBatch): void {
    if (first !== undefined) this.behindSince = Date.parse(first.metadata.recorded_at);
  }

  /** A batch was processed. */
  handled({ events, through }: LogBatch): void {
    this.position = through;
    const last = events.at(-1);
    if (last !== undefined) this.behindSince = Date.parse(last.metadata.recorded_at);
  }

  /** Whether it has reached the last known end of the log. */
  get isAtKnownHead(): boolean {
    return (
      this.head === undefined ||
      (this.position !== undefined && comparePositions(this.position, this.head) >= 0)
    );
  }

  /** It has reached the last known end of the log, which has meanwhile moved to `head`. */
  caughtUp(head: Position | undefined): void {
    this.head = head;
    if (this.isAtKnownHead) this.behindSince = undefined;
    this.become('live');
  }

  /** `error` is what failed, or says in words why the processor does not continue. */
  fail(state: 'retrying' | 'stopped', error: unknown, since = this.now()): void {
    this.behindSince ??= since;
    this.become(state, typeof error === 'string' ? error : messageOf(error));
  }

  private become(state: ProcessorStatus['state'], error?: string): void {
    const changed = state !== this.state || error !== this.error;
    this.state = state;
    this.error = error;
    if (changed) this.onChange(this.status());
  }
}
