import { BroadcastChannel } from 'node:worker_threads';
import { canonicalPath } from './database.js';

export interface WaitOptions {
  /** The `count` read before looking at the database: a change noticed since then ends the wait at once. */
  readonly since: number;
  /** Other processes don't wake us: look again after this long. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tells every thread of this process that a database file has changed. A waiter takes `count`, looks at the database, and waits
 * for `count` to move on; so a change between looking and waiting is never missed. Keeps no process alive.
 */
export class ChangeNotifier {
  private changes = 0;
  private readonly waiting = new Set<() => void>();
  private readonly channel: BroadcastChannel;

  constructor(
    file: string,
    /** Hears what other threads notify. */
    onMessage?: (message: unknown) => void,
  ) {
    this.channel = new BroadcastChannel(`refledger ${canonicalPath(file)}`);
    this.channel.onmessage = (event) => {
      this.changed();
      onMessage?.((event as { readonly data: unknown }).data);
    };
    this.channel.unref();
  }

  /** How many changes were noticed so far. */
  get count(): number {
    return this.changes;
  }

  /** Wakes all that wait for this file, in this thread and the others. The message must be cloneable. */
  notify(message?: unknown): void {
    this.channel.postMessage(message);
    this.changed();
  }

  /** True when the file has changed since `since`; false when the time was up, the signal aborted, or this was closed. */
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
