import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, laterOf, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';

/** How soon an append of another process is seen. */
const pollMs = 20;

/** How far the event log has come. All who wait for it share one look at a time. */
export class LogHead {
  private seen: Position | undefined;
  private isWatching = false;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly log: Pick<EventLog, 'head' | 'isHeadLatest'>) {}

  /** True when the log has not come to this position, so that nobody can have been told of it. */
  async isBefore(position: Position): Promise<boolean> {
    if (this.log.isHeadLatest !== true || this.hasSeen(position)) return false;
    await this.look();
    return !this.hasSeen(position);
  }

  /** True once the log has come to this position, false after so long. Fails when the log does. */
  reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.hasSeen(position)) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + timeoutMs;
      this.waiting.add({ position, deadline, resolve, reject });
      if (!this.isWatching) void this.watch();
    });
  }

  hasSeen(position: Position): boolean {
    return this.seen !== undefined && comparePositions(this.seen, position) >= 0;
  }

  private async watch(): Promise<void> {
    this.isWatching = true;
    for (;;) {
      await this.look().then(
        () => this.answer(),
        (error: unknown) => this.fail(error),
      );
      if (this.waiting.size === 0) break;
      await sleep(pollMs);
    }
    this.isWatching = false;
  }

  private async look(): Promise<void> {
    this.seen = laterOf(this.seen, await this.log.head());
  }

  private answer(): void {
    const now = performance.now();
    for (const waiting of this.waiting) {
      const isThere = this.hasSeen(waiting.position);
      if (!isThere && waiting.deadline > now) continue;
      this.waiting.delete(waiting);
      waiting.resolve(isThere);
    }
  }

  private fail(error: unknown): void {
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
  }
}

interface Waiting {
  readonly position: Position;
  readonly deadline: number;
  readonly resolve: (isThere: boolean) => void;
  readonly reject: (error: unknown) => void;
}
