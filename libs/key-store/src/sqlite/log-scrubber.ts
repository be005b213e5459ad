import { retryWhileBusy } from '@refledger/sqlite';

/**
 * Truncates the write-ahead log, which holds keys that were overwritten in the file. While another
 * connection uses the log, waits for 5 seconds, then throws, and goes on trying.
 */
export class LogScrubber {
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly truncate: () => void) {}

  async scrub(): Promise<void> {
    try {
      await retryWhileBusy(this.truncate);
      this.stop();
    } catch (error) {
      this.retry ??= setInterval(() => this.tryAgain(), 1_000);
      throw error;
    }
  }

  /** Truncates the log now if possible, else as soon as it is. */
  start(): void {
    this.retry ??= setInterval(() => this.tryAgain(), 1_000);
    this.tryAgain();
  }

  stop(): void {
    clearInterval(this.retry);
    this.retry = undefined;
  }

  private tryAgain(): void {
    try {
      this.truncate();
      this.stop();
    } catch {
      // the next attempt follows
    }
  }
}
