import { BroadcastChannel } from 'node:worker_threads';
import { canonicalPath } from './database.js';

export interface WaitOptions {
  /**
   * The `count` read before looking at the database. A change noticed since then ends the wait at
   * once.
   */
  readonly since: number;
  /**
   * How long to wait at most. Other processes send no notifications, so look at the database again
   * after this time.
   */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Notifies every thread of this process that a database file has changed. A waiter reads `count`,
 * looks at the database, and waits for `count` to change, so it never misses a change between
 * looking and waiting. Keeps no process alive.
 */
export class ChangeNotifier {
  private changes = 0;
  private readonly waiting = new Set<() => void>();
  private readonly channel: BroadcastChannel;

  constructor(
    file: string,
    /** Called with the messages of other threads. */
    onMessage?: (message: unknown) => void,
  ) {
    this.channel = new BroadcastChannel(`refledger ${canonicalPath(file)}`);
    this.channel.onmessage = (event) => {
      this.changed();
      onMessage?.((event as { readonly data: unknown }).data);
    };
    this.channel.unref();
  }

  /** Number of changes noticed so far. */
  get count(): number {
    return this.changes;
  }

  /**
   * Wakes all waiters for this file, in this thread and the others. The message must be cloneable.
   */
  notify(message?: unknown): void {
    this.channel.postMessage(message);
    this.changed();
  }

  /**
   * Resolves with true when the file has changed since `since`, and with false on timeout, when the
   * signal aborts, or when this notifier is closed.
   */
  wait({ since, timeoutMs, signal }: WaitOptions): Promise<boolean> {
    if (this.changes !== since) return Promise.resolve(true);
    if (signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.waiting.delete(done);
        resolve(this.changes !== since);
      };
      const timer = setTimeout(done, timeoutMs).unref();
      signal?.addEventListener('abort', done);
      this.waiting.add(done);
    });
  }

  /** Ends all waits. */
  close(): void {
    this.channel.close();
    for (const done of this.waiting) done();
  }

  private changed(): void {
    this.changes += 1;
    for (const done of this.waiting) done();
  }
}
