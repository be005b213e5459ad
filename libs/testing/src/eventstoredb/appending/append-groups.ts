import { EventEmitter } from 'node:events';
import type { Append, AppendResult } from './append-check.js';
import type { DoubleStore } from '../sqlite/double-store.js';

/** How often to look for another double's writes, in milliseconds. */
const pollMs = 25;

/**
 * The time after which an append that will not be committed is answered, in milliseconds. The
 * server takes 2 s.
 */
const timeoutMs = 100;

/**
 * Once the leader is gone, the calls that follow the cluster are ended one by one. This is the
 * pause between two of them, in milliseconds.
 */
const endPauseMs = 150;

interface PendingAppend {
  readonly append: Append;
  readonly respond: (result: AppendResult) => void;
}

export interface AppendGroupsOptions {
  /** How long an append takes to be committed, in milliseconds. */
  readonly commitAfterMs: number;
  readonly address: () => string;
}

/**
 * Commits the appends of one event-loop tick (or of `commitAfterMs`) in one transaction, and emits
 * `committed` with the number of new events. A repeat of an append that is not committed yet times
 * out. When no double leads any more, it calls the listeners of `leaderless` one after the other.
 */
export class AppendGroups extends EventEmitter<{ committed: [count: number]; leaderless: [] }> {
  private waiting: PendingAppend[] = [];
  private head: number | undefined;
  private leader: string | undefined;
  private readonly timer;

  constructor(
    private readonly store: DoubleStore,
    private readonly options: AppendGroupsOptions,
  ) {
    super();
    this.setMaxListeners(0);
    this.head = store.head();
    this.timer = setInterval(() => this.poll(), pollMs);
  }

  append(append: Append, respond: (result: AppendResult) => void): void {
    if (this.store.isBehind(this.options.address())) return timeOut(respond);
    this.waiting.push({ append, respond });
    if (this.waiting.length > 1) return;
    const { commitAfterMs } = this.options;
    if (commitAfterMs > 0) setTimeout(() => this.flush(), commitAfterMs);
    else setImmediate(() => this.flush());
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Emits `committed` if the log has grown, by another double's writes or by this one's. */
  received(count: number): void {
    const head = this.store.head();
    if (head === this.head) return;
    this.head = head;
    this.emit('committed', count);
  }

  private poll(): void {
    this.store.isBehind(this.options.address());
    // between two transactions, so that it holds no lock on the shared file
    if (this.store.cluster.shouldSuspend(this.options.address()))
      process.kill(process.pid, 'SIGSTOP');
    this.received(1);
    const leader = this.store.cluster.leader();
    if (leader === '' && leader !== this.leader) this.endAll();
    this.leader = leader;
  }

  private endAll(): void {
    this.listeners('leaderless').forEach((end, index) =>
      setTimeout(end, index * endPauseMs).unref(),
    );
  }

  private flush(): void {
    const group = this.waiting;
    this.waiting = [];
    const results = this.store.appendAll(group.map(({ append }) => append));
    const uncommitted = new Set<string>();
    group.forEach(({ append, respond }, index) => {
      const result = results[index];
      if (result === undefined) return;
      const key = keyOf(append);
      if (result.kind === 'appended') uncommitted.add(key);
      if (result.kind === 'repeated' && uncommitted.has(key)) timeOut(respond);
      else respond(result);
    });
    this.received(group.reduce((sum, { append }) => sum + append.events.length, 0));
  }
}

const timeOut = (respond: PendingAppend['respond']): void => {
  setTimeout(() => respond({ kind: 'timed_out' }), timeoutMs).unref();
};

const keyOf = ({ stream, expected, events }: Append): string =>
  [stream, expected, ...events.map(({ id }) => id)].join(' ');
