import { canonicalPath, startStorageThread, type StorageThread } from '@refledger/sqlite';
import { DeliveryStoreError, type DeliveryStore } from '../delivery-store.js';
import type { DeliveryFile } from './delivery-file.js';
import { errorOf, type StoreAnswer, type StoreOrder, type StoreReport } from './store-calls.js';

export interface SqliteDeliveryStoreOptions {
  readonly file: string;
  /**
   * Called when the store's thread has ended by itself. All calls fail from then on, so the process
   * should end.
   */
  readonly onCrash?: (error: Error) => void;
}

/**
 * Opens deliveries in one SQLite file. A thread of its own reads and writes the file, so that the
 * main thread never waits for the disk. Throws a `DeliveryStoreError` that names the file.
 */
export const openSqliteDeliveryStore = async ({
  file,
  onCrash = () => undefined,
}: SqliteDeliveryStoreOptions): Promise<DeliveryStore> => {
  const path = canonicalPath(file);
  // the compiled file, even when this module runs as TypeScript source (in tests)
  const script = new URL('../../../dist/stores/sqlite/delivery-store.worker.js', import.meta.url);
  const thread = await startStorageThread<StoreReport>({ script, workerData: path });
  if (thread.report.kind === 'refused') throw errorOf(thread.report.failure);
  const calls = new Calls(thread, path);
  void thread.crashed.then((error) => {
    calls.end('its thread has ended');
    onCrash(error);
  });
  const { call } = calls;

  return {
    id: thread.report.id,
    offset: (partition) => call('offset', partition),
    offsets: () => call('offsets'),
    floor: () => call('floor'),
    resetOffsets: (offsets, floor) => call('resetOffsets', offsets, floor),
    plan: (plan, lease) => call('plan', plan, lease),
    claim: (endpoint, limit, lease) => call('claim', endpoint, limit, lease),
    endpointsWithWork: (now) => call('endpointsWithWork', now),
    nextDueAt: (after) => call('nextDueAt', after),
    renew: (deliveries, lease) => call('renew', deliveries, lease),
    release: (deliveries, lease) => call('release', deliveries, lease),
    recover: (options) => call('recover', options),
    reschedule: (lease) => call('reschedule', lease),
    recordOutcomes: (results, holder) => call('recordOutcomes', results, holder),
    async cancel(endpoint, reason, now) {
      for (let total = 0; ;) {
        const changes = await call('cancel', endpoint, reason, now, cancelStep);
        total += changes;
        if (changes < cancelStep) return total;
      }
    },
    unfinished: (endpoint) => call('unfinished', endpoint),
    cancelUnfinished: (deliveries, reason, now) =>
      call('cancelUnfinished', deliveries, reason, now),
    get: (id) => call('get', id),
    list: (query) => call('list', query),
    endpoints: () => call('endpoints'),
    counts: (endpoint) => call('counts', endpoint),
    expire: (before, limit) => call('expire', before, limit),
    close: () => calls.close(),
  };
};

/** Deliveries per transaction, since other calls wait for it. */
const cancelStep = 1_000;

/** The calls to the thread, which answers them in order. A waiting call keeps the process alive. */
class Calls {
  private readonly waiting: {
    readonly resolve: (value: never) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  private ended: string | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly thread: StorageThread<StoreReport>,
    private readonly file: string,
  ) {
    thread.worker.on('message', (answers: readonly StoreAnswer[]) => this.settle(answers));
  }

  readonly call = <Method extends keyof DeliveryFile>(
    method: Method,
    ...args: Parameters<DeliveryFile[Method]>
  ): Promise<ReturnType<DeliveryFile[Method]>> =>
    new Promise((resolve, reject) => {
      if (this.ended !== undefined) return reject(this.unavailable(this.ended));
      this.waiting.push({ resolve, reject });
      this.thread.worker.ref();
      // this is a `StoreOrder`, but the compiler can't match a method with its arguments through a
      // type parameter
      this.thread.worker.postMessage({ kind: 'call', call: { method, args } });
    });

  /** Closes the store after the calls made so far. */
  close(): Promise<void> {
    this.ended ??= 'this delivery store was closed';
    return (this.closing ??= this.thread.close({ kind: 'close' } satisfies StoreOrder));
  }

  /** Rejects all waiting and future calls, because the thread is gone. */
  end(why: string): void {
    this.ended ??= why;
    for (const { reject } of this.waiting.splice(0)) reject(this.unavailable(why));
  }

  private settle(answers: readonly StoreAnswer[]): void {
    const answered = this.waiting.splice(0, answers.length);
    if (this.waiting.length === 0 && this.closing === undefined) this.thread.worker.unref();
    for (const [index, answer] of answers.entries()) {
      if ('value' in answer) answered[index]?.resolve(answer.value as never);
      else answered[index]?.reject(errorOf(answer.failure));
    }
  }

  private unavailable(why: string): DeliveryStoreError {
    return new DeliveryStoreError('unavailable', `${this.file}: ${why}`);
  }
}
