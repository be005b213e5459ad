import { canonicalPath, startThread } from '@refledger/sqlite';
import { DeliveryStoreError, type DeliveryStore } from '../delivery-store.js';
import type { OpenDeliveryStoreOptions } from '../open-delivery-store.js';
import type { DeliveryFile } from './delivery-file.js';
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
  const script = new URL('../../../dist/stores/sqlite/delivery-store.worker.js', import.meta.url);
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
  const { call } = thread;
  const id = await call('id').catch(async (error: unknown) => {
    await thread.close();
    throw error;
  });
  void thread.crashed.then(onCrash);

  return {
    id,
    offset: (partition) => call('offset', partition),
    offsets: () => call('offsets'),
    floor: () => call('floor'),
    resetOffsets: (offsets, floor) => call('resetOffsets', offsets, floor),
    plan: (plan, lease) => call('plan', plan, lease),
    claim: (endpoint, limit, lease) => call('claim', endpoint, limit, lease),
    endpointsDue: (now) => call('endpointsDue', now),
    endpointsUnfinished: () => call('endpointsUnfinished'),
    nextDueAt: (after) => call('nextDueAt', after),
    renew: (lease) => call('renew', lease),
    release: (deliveries, lease) => call('release', deliveries, lease),
    recover: (caller) => call('recover', caller),
    recoverLeftBy: (holder, now) => call('recoverLeftBy', holder, now),
    reschedule: (lease) => call('reschedule', lease),
    takeTokens: (endpoint, perSecond) => call('takeTokens', endpoint, perSecond),
    recordOutcomes: (results, holder) => call('recordOutcomes', results, holder),
    cancel: (endpoint, cancellation) =>
      inSteps((limit) => call('cancelSome', endpoint, cancellation, limit)),
    unfinished: (endpoint) => call('unfinished', endpoint),
    cancelUnfinished: (deliveries, reason, now) =>
      call('cancelUnfinished', deliveries, reason, now),
    get: (id) => call('get', id),
    find: (query) => readPage(query, (range) => call('findRange', range)),
    list: (query) => call('list', query),
    endpoints: () => call('endpoints'),
    counts: (endpoint) => call('counts', endpoint),
    expire: (before, limit) => call('expire', before, limit),
    close: () => thread.close(),
  };
};

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
