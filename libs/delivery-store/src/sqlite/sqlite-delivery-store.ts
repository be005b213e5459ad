import { canonicalPath, startThread, type Thread } from '@refledger/sqlite';
import { DeliveryStoreError, type DeliveryStore } from '../delivery-store.js';
import type { OpenDeliveryStoreOptions } from '../open-delivery-store-options.js';
import type { DeliveryFile } from './delivery-file.js';
import type { SynchronousStore } from './delivery-tables.js';
import { readPage } from '../read-page.js';
import { errorOf } from './store-failure.js';

export interface SqliteDeliveryStoreOptions extends Omit<OpenDeliveryStoreOptions, 'dataDir'> {
  readonly file: string;
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
  const script = new URL('../../dist/sqlite/delivery-store.worker.js', import.meta.url);
  const thread = startThread<DeliveryFile>({
    script,
    workerData: path,
    errorOf,
    unavailable: (cause) =>
      new DeliveryStoreError(
        'unavailable',
        `${path}: ${cause === undefined ? 'this delivery store was closed' : 'its thread has exited'}`,
      ),
  });
  const [id, names] = await Promise.all([thread.call('id'), thread.call('names')]).catch(
    async (error: unknown) => {
      await thread.close();
      throw error;
    },
  );
  void thread.crashed.then(onCrash);

  return {
    id,
    ...performedBy(thread, names),
    ...dividedOver(thread),
    close: () => thread.close(),
  };
};

type Caller = Pick<Thread<DeliveryFile>, 'call'>;
type Performed = Pick<DeliveryStore, keyof SynchronousStore & keyof DeliveryStore>;

/** The methods that the thread performs under their own names. */
const performedBy = ({ call }: Caller, names: readonly (keyof SynchronousStore)[]): Performed =>
  // the cast holds because names, arguments and results stay the same
  Object.fromEntries(
    names.map((name) => [
      name,
      (...args: Parameters<DeliveryFile[typeof name]>) => call(name, ...args),
    ]),
  ) as Performed;

/** The methods that take several calls, because other calls wait for each of them. */
const dividedOver = ({
  call,
}: Caller): Pick<DeliveryStore, 'hold' | 'unholdReplays' | 'holdRetries' | 'cancel' | 'find'> => ({
  hold: (endpoint, decidedBelow) =>
    inSteps((limit) => call('holdSome', endpoint, decidedBelow, limit)),
  unholdReplays: async (endpoint) =>
    void (await inSteps((limit) => call('unholdSomeReplays', endpoint, limit))),
  holdRetries: async (endpoint, now) => {
    await inSteps((limit) => call('waitAgainSome', endpoint, now, limit));
    return inSteps((limit) => call('holdSomeRetries', endpoint, now, limit));
  },
  cancel: (endpoint, cancellation) =>
    inSteps((limit) => call('cancelSome', endpoint, cancellation, limit)),
  find: (query) => readPage(query, (range) => call('findRange', range)),
});

/** Changes deliveries in transactions of limited length, because other calls wait for them. */
const inSteps = async (changeSome: (limit: number) => Promise<number>): Promise<number> => {
  for (let total = 0; ;) {
    const changed = await changeSome(step);
    total += changed;
    if (changed < step) return total;
  }
};

/** Deliveries per transaction. */
const step = 1_000;
