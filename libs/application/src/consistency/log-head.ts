import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, laterOf, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';

/**
 * How often, in milliseconds, the head is read while a read waits for an append by another process.
 */
const pollMs = 20;

/** The head of the event log. All waiting reads share one poll. */
export class LogHead {
  private seen: Position | undefined;
  private isWatching = false;
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly log: Pick<EventLog, 'head' | 'isHeadLatest'>) {}

  /**
   * Whether the log certainly has not reached this position, so that no response to a write can
   * have named it. Always false for a log whose head can be stale.
   */
  async isBefore(position: Position): Promise<boolean> {
    if (this.log.isHeadLatest !== true || this.hasSeen(position)) return false;
    await this.refresh();
    return !this.hasSeen(position);
  }

  /**
   * True once the log has reached this position, false after `timeoutMs`. Rejects if the log's head
   * cannot be read.
   */
  waitForPosition(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.hasSeen(position)) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + timeoutMs;
      this.waiting.add({ position, deadline, resolve, reject });
      if (!this.isWatching) void this.watch();
    });
  }

  /** The head now; undefined while the log is empty. */
  async read(): Promise<Position | undefined> {
    await this.refresh();
    return this.seen;
  }

  hasSeen(position: Position): boolean {
    return this.seen !== undefined && comparePositions(this.seen, position) >= 0;
  }

  private async watch(): Promise<void> {
    this.isWatching = true;
    for (;;) {
      await this.refresh().then(
        () => this.resolveWaiting(),
        (error: unknown) => this.fail(error),
      );
      if (this.waiting.size === 0) break;
      await sleep(pollMs);
    }
    this.isWatching = false;
  }

  private async refresh(): Promise<void> {
    this.seen = laterOf(this.seen, await this.log.head());
  }

  private resolveWaiting(): void {
    const now = performance.now();
    for (const waiting of this.waiting) {
      const isReached = this.hasSeen(waiting.position);
      if (!isReached && waiting.deadline > now) continue;
      this.waiting.delete(waiting);
      waiting.resolve(isReached);
    }
  }

  private fail(error: unknown): void {
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
  }
}

interface Waiter {
  readonly position: Position;
  readonly deadline: number;
  readonly resolve: (isReached: boolean) => void;
  readonly reject: (error: unknown) => void;
}
