import { EventEmitter } from 'node:events';
import type { Append, AppendCheck } from './append-check.js';
import type { DoubleStore } from './sqlite/double-store.js';

/** How often to look for what another double has written. */
const pollMs = 25;

/** Appends that came in one turn of the loop are one transaction; tells `committed` with how many events there are more. */
export class AppendGroups extends EventEmitter<{ committed: [count: number] }> {
  private waiting: { readonly append: Append; readonly answer: (check: AppendCheck) => void }[] = [];
  private head: number | undefined;
  private readonly timer;

  constructor(private readonly store: DoubleStore) {
    super();
    this.setMaxListeners(0);
    this.head = store.head();
    this.timer = setInterval(() => this.look(1), pollMs);
  }

  append(append: Append, answer: (check: AppendCheck) => void): void {
    this.waiting.push({ append, answer });
    if (this.waiting.length === 1) setImmediate(() => this.flush());
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

  private flush(): void {
    const group = this.waiting;
    this.waiting = [];
    const checks = this.store.appendAll(group.map(({ append }) => append));
    checks.forEach((check, index) => group[index]?.answer(check));
    this.look(group.reduce((sum, { append }) => sum + append.events.length, 0));
  }
}
