import { EventEmitter } from 'node:events';
import type { Append, AppendResult } from './append-check.js';
import type { DoubleStore } from './sqlite/double-store.js';

/** How often to look for what another double has written. */
const pollMs = 25;

/** When an append that will not be committed is answered: sooner than by the server, which takes 2 s. */
const timeoutMs = 100;

/** How long apart what follows a cluster ends when its leader is gone. */
const endPauseMs = 150;

interface Waiting {
  readonly append: Append;
  readonly answer: (result: AppendResult) => void;
}

export interface AppendGroupsOptions {
  /** How long an append takes until it is committed. */
  readonly commitAfterMs: number;
  readonly address: () => string;
}

/**
 * Appends that came in one turn of the loop are one transaction; tells `committed` with how many
 * events there are more. The same append again while the first is not committed is dropped. Tells one
 * listener after the other `leaderless` when nobody leads any more.
 */
export class AppendGroups extends EventEmitter<{ committed: [count: number]; leaderless: [] }> {
  private waiting: Waiting[] = [];
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

  append(append: Append, answer: (result: AppendResult) => void): void {
    if (this.store.isBehind(this.options.address())) return timeOut(answer);
    this.waiting.push({ append, answer });
    if (this.waiting.length > 1) return;
    const { commitAfterMs } = this.options;
    if (commitAfterMs > 0) setTimeout(() => this.flush(), commitAfterMs);
    else setImmediate(() => this.flush());
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Tells of what others wrote, or this process wrote otherwise. */
  look(count: number): void {
    const head = this.store.head();
    if (head === this.head) return;
    this.head = head;
    this.emit('committed', count);
  }

  private poll(): void {
    this.store.isBehind(this.options.address());
    // between two transactions, so that it holds no lock of the file that others share
    if (this.store.cluster.isToHoldStill(this.options.address()))
      process.kill(process.pid, 'SIGSTOP');
    this.look(1);
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
    group.forEach(({ append, answer }, index) => {
      const result = results[index];
      if (result === undefined) return;
      const key = keyOf(append);
      if (result.kind === 'appended') uncommitted.add(key);
      if (result.kind === 'repeated' && uncommitted.has(key)) timeOut(answer);
      else answer(result);
    });
    this.look(group.reduce((sum, { append }) => sum + append.events.length, 0));
  }
}

const timeOut = (answer: Waiting['answer']): void => {
  setTimeout(() => answer({ kind: 'timed_out' }), timeoutMs).unref();
};

const keyOf = ({ stream, expected, events }: Append): string =>
  [stream, expected, ...events.map(({ id }) => id)].join(' ');
