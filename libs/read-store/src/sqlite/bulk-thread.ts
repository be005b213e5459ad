import { Worker } from 'node:worker_threads';
import { BuildGone, ReadStoreError, StaleDocument } from '../read-store.js';
import type { BulkAnswer, BulkFailure, BulkOrder } from './bulk.protocol.js';

/** The thread ends after being idle this long, because only builds need it. */
const idleMs = 2_000;

/** The thread for long writes. It starts when needed. */
export class BulkThread {
  private worker: Worker | undefined;
  private answering:
    | { readonly resolve: (answer: Done) => void; readonly reject: (error: Error) => void }
    | undefined;
  private idle: NodeJS.Timeout | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** Buffers documents in the thread for later commits. */
  gather(order: Extract<BulkOrder, { kind: 'gather' }>): void {
    this.running().postMessage(order);
  }

  /**
   * Sends an order and awaits its answer; only one order may be in progress. Throws the port's
   * errors.
   */
  order(order: Exclude<BulkOrder, { kind: 'gather' | 'close' }>): Promise<Done> {
    const worker = this.running();
    worker.ref();
    return new Promise((resolve, reject) => {
      this.answering = { resolve, reject };
      worker.postMessage(order);
    });
  }

  /** Ends the thread. No order may be in progress. */
  close(): Promise<void> {
    clearTimeout(this.idle);
    this.worker?.ref();
    this.worker?.postMessage({ kind: 'close' } satisfies BulkOrder);
    this.worker = undefined;
    return this.ended;
  }

  private running(): Worker {
    clearTimeout(this.idle);
    return (this.worker ??= this.start());
  }

  private start(): Worker {
    // Uses the built file even when this module runs as TypeScript source (in tests). The flags of
    // this Node process don't apply to the thread.
    const worker = new Worker(new URL('../../dist/sqlite/bulk.worker.js', import.meta.url), {
      workerData: this.file,
      execArgv: [],
    });
    worker.on('message', (answer: BulkAnswer) => this.settle(worker, answer));
    const died = (why: string): void => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      this.answering?.reject(
        new ReadStoreError(
          'unavailable',
          `${this.file}: the thread that writes builds has ended: ${why}`,
        ),
      );
    };
    worker.once('error', (error) => died(error.message));
    this.ended = new Promise((resolve) =>
      worker.once('exit', (code) => {
        died(`code ${code}`);
        resolve();
      }),
    );
    worker.unref();
    return worker;
  }

  private settle(worker: Worker, answer: BulkAnswer): void {
    worker.unref();
    this.idle = setTimeout(() => void this.close(), idleMs).unref();
    if (answer.kind === 'done') this.answering?.resolve(answer);
    else this.answering?.reject(errorOf(answer.failure));
    this.answering = undefined;
  }
}

type Done = Extract<BulkAnswer, { kind: 'done' }>;

const errorOf = (failure: BulkFailure): Error => {
  switch (failure.kind) {
    case 'gone':
      return new BuildGone(failure.build);
    case 'stale':
      return new StaleDocument(failure.build, failure.collection, failure.id);
    case 'unavailable':
    case 'unusable':
    case 'unstorable':
      return new ReadStoreError(failure.kind, failure.message);
  }
};
