import { canonicalPath, startThread, type Thread } from '@refledger/sqlite';
import { DeliveryStoreError, type DeliveryStore, type OperatorStore } from '../delivery-store.js';
import type { ReplayStore } from '../replay-store.js';
import type { StatisticsReader, StatisticsStore } from '../statistics-store.js';
import type { OpenDeliveryStoreOptions } from '../open-delivery-store-options.js';
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
  const id = await thread.call('id').catch(async (error: unknown) => {
    await thread.close();
    throw error;
  });
  void thread.crashed.then(onCrash);

  return {
    id,
    ...methodsOf(thread),
    ...operatorMethodsOf(thread),
    ...replayMethodsOf(thread),
    ...statisticsMethodsOf(thread),
    close: () => thread.close(),
  };
};

/** The methods of the store: each is performed by the thread that has the file. */
const methodsOf = ({
  call,
}: Pick<Thread<DeliveryFile>, 'call'>): Omit<
  DeliveryStore,
  'id' | 'close' | keyof (OperatorStore & ReplayStore & StatisticsStore & StatisticsReader)
> => ({
  offset: (partition) => call('offset', partition),
  offsets: () => call('offsets'),
  floor: () => call('floor'),
  plan: (plan, lease) => call('plan', plan, lease),
  claim: (endpoint, limit, lease, from) => call('claim', endpoint, limit, lease, from),
  claimTests: (endpoint, lease) => call('claimTests', endpoint, lease),
  keepBodies: (bodies, holder) => call('keepBodies', bodies, holder),
  takeRequested: () => call('takeRequested'),
  endpointsHeld: () => call('endpointsHeld'),
  endpointsDue: (now) => call('endpointsDue', now),
  endpointsUnfinished: () => call('endpointsUnfinished'),
  nextDueAt: (after) => call('nextDueAt', after),
  renew: (lease) => call('renew', lease),
  release: (deliveries, lease, from) => call('release', deliveries, lease, from),
  recover: (caller) => call('recover', caller),
  recoverLeftBy: (holder, now) => call('recoverLeftBy', holder, now),
  reschedule: (lease) => call('reschedule', lease),
  takeTokens: (endpoint, perSecond) => call('takeTokens', endpoint, perSecond),
  recordOutcomes: (results, holder) => call('recordOutcomes', results, holder),
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
  series: (endpoint) => call('series', endpoint),
  keepSeries: (endpoint, series) => call('keepSeries', endpoint, series),
  endSeries: (endpoint) => call('endSeries', endpoint),
  endpointsInSeries: () => call('endpointsInSeries'),
  succeededSince: (endpoint, after, now) => call('succeededSince', endpoint, after, now),
  failingSince: (endpoints) => call('failingSince', endpoints),
  statuses: (deliveries) => call('statuses', deliveries),
  removed: () => call('removed'),
  request: (delivery, now, key) => call('request', delivery, now, key),
  makeDue: (delivery, now, key) => call('makeDue', delivery, now, key),
  answeredKey: (id) => call('answeredKey', id),
  cancelWaiting: (delivery, reason, now) => call('cancelWaiting', delivery, reason, now),
  recoveries: (deliveries) => call('recoveries', deliveries),
  get: (id) => call('get', id),
  find: (query) => readPage(query, (range) => call('findRange', range)),
  countUnfinished: (endpoint, limit) => call('countUnfinished', endpoint, limit),
  expire: (before, limit) => call('expire', before, limit),
  sweep: (deliveries, how) => call('sweep', deliveries, how),
  removeSwept: (before, limit) => call('removeSwept', before, limit),
});

const operatorMethodsOf = ({ call }: Pick<Thread<DeliveryFile>, 'call'>): OperatorStore => ({
  unfinished: (endpoint) => call('unfinished', endpoint),
  lowerDecidedAt: (deliveries, to) => call('lowerDecidedAt', deliveries, to),
  cancelUnfinished: (deliveries, reason, now) => call('cancelUnfinished', deliveries, reason, now),
  answeredKeys: (answered) => call('answeredKeys', answered),
  list: (query) => call('list', query),
  endpoints: () => call('endpoints'),
  counts: (endpoint) => call('counts', endpoint),
  resetOffsets: (offsets, floor) => call('resetOffsets', offsets, floor),
});

const statisticsMethodsOf = ({
  call,
}: Pick<Thread<DeliveryFile>, 'call'>): StatisticsStore & StatisticsReader => ({
  addStatistics: (points) => call('addStatistics', points),
  statistics: (range) => call('statistics', range),
  oldestWaiting: (endpoint) => call('oldestWaiting', endpoint),
  removeStatistics: (period, before, limit) => call('removeStatistics', period, before, limit),
});

const replayMethodsOf = ({ call }: Pick<Thread<DeliveryFile>, 'call'>): ReplayStore => ({
  beginReplay: (replay) => call('beginReplay', replay),
  stopReplay: (replay, now) => call('stopReplay', replay, now),
  replay: (id) => call('replay', id),
  replays: (query) => call('replays', query),
  leaseReplays: (lease) => call('leaseReplays', lease),
  releaseReplays: (holder) => call('releaseReplays', holder),
  hasUnsettledReplays: () => call('hasUnsettledReplays'),
  runningReplays: () => call('runningReplays'),
  planReplay: (step, now) => call('planReplay', step, now),
  countReplays: (now, limit) => call('countReplays', now, limit),
  countWaiting: (replay, limit) => call('countWaiting', replay, limit),
  countReplaying: (endpoint, limit) => call('countReplaying', endpoint, limit),
  endpointsReplaying: () => call('endpointsReplaying'),
  deliveriesOf: (endpoint, events) => call('deliveriesOf', endpoint, events),
  expireReplays: (before, limit) => call('expireReplays', before, limit),
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
