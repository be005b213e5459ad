import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '../position-waiters.js';

/** Notices the changes that this process makes. */
export class LocalChanges implements Changes {
  private changes = 0;
  private wake = new AbortController();

  get count(): number {
    return this.changes;
  }

  notify(): void {
    this.changes += 1;
    this.wake.abort();
    this.wake = new AbortController();
  }

  async wait({ since, timeoutMs }: Parameters<Changes['wait']>[0]): Promise<void> {
    const { signal } = this.wake;
    if (this.changes === since)
      await sleep(timeoutMs, undefined, { signal }).catch(() => undefined);
  }
}
