import { startThread, type Thread } from '@refledger/sqlite';
import { ReadStoreError } from '../../read-store.js';
import { errorOf } from './bulk-failure.js';
import type { BulkWrites } from './bulk.worker.js';
import type { EncodedCollection } from './guarded-writer.js';

/** The thread ends after being idle this long, because only builds need it. */
const idleMs = 2_000;

/** The thread for long writes. It starts when needed. */
export class BulkThread {
  private thread: Thread<BulkWrites> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** Buffers documents in the thread for later commits. */
  gather(documents: EncodedCollection): void {
    // a commit fails if they were lost with the thread
    this.running()
      .call('gather', documents)
      .catch(() => undefined);
  }

  /** Makes a long write; only one may be in progress. Throws the port's errors. */
  readonly call: Thread<BulkWrites>['call'] = (method, ...args) =>
    this.running()
      .call(method, ...args)
      .finally(() => (this.idle = setTimeout(() => void this.close(), idleMs).unref()));

  /** Ends the thread. No write may be in progress. */
  close(): Promise<void> {
    clearTimeout(this.idle);
    if (this.thread !== undefined) this.ended = this.thread.close();
    this.thread = undefined;
    return this.ended;
  }

  private running(): Thread<BulkWrites> {
    clearTimeout(this.idle);
    return (this.thread ??= this.start());
  }

  private start(): Thread<BulkWrites> {
    const thread = startThread<BulkWrites>({
      // the built file, even when this module runs as TypeScript source (in tests)
      script: new URL('../../../dist/sqlite/saving/bulk.worker.js', import.meta.url),
      workerData: this.file,
      errorOf,
      unavailable: (cause) =>
        new ReadStoreError(
          'unavailable',
          `${this.file}: the thread that writes builds has exited: ${cause?.message ?? 'it was closed'}`,
        ),
    });
    void thread.crashed.then(() => {
      if (this.thread === thread) this.thread = undefined;
    });
    return thread;
  }
}
