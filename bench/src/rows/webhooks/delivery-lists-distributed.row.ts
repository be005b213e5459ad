import { derivedId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { databaseUrl, requireServers } from '@refledger/testing/servers';
import {
  openDeliveryStore,
  type DeliveryQuery,
  type DeliveryStore,
} from '@refledger/delivery-store';
import type { Bench } from '../../bench.js';
import { percentileOf } from '../../figures/spread.js';
import { machineClock } from '../../load/clock.js';
import { serverNote } from '../../report/server-note.js';
import type { Figures, Row } from '../../row.js';
import { addDeliveries, middleOf } from '../../service/add-deliveries.js';

/** Other products that speak MongoDB's protocol take hours for a million. */
const many = Number(process.env['BENCH_MONGODB_DELIVERIES'] ?? 1_000_000);
const few = Math.min(10_000, many / 10);
const pages = 20;

const endpoints = Array.from({ length: 10 }, (_, n) => derivedId('endpoint', 'bench', String(n)));
const scopes = {
  account: { accountId: firstAccountId },
  endpoint: { accountId: firstAccountId, endpointId: endpoints[0] },
};
const created = { by: 'created_at', descending: true } as const;
const finished = { by: 'finished_at', descending: true } as const;

type Filter = Omit<DeliveryQuery, 'accountId' | 'limit'>;

/** The filters, one at a time, and the orders. */
const filtersOf = ({ event, record }: ReturnType<typeof middleOf>) =>
  ({
    unfiltered: { order: created },
    'by end': { order: finished },
    succeeded: { order: created, status: 'succeeded' },
    failed: { order: created, status: 'failed' },
    canceled: { order: created, status: 'canceled' },
    held: { order: created, status: 'held' },
    waiting: { order: created, status: 'waiting' },
    type: { order: created, eventType: 'affiliate.created' },
    'no such type': { order: created, eventType: 'payout.completed' },
    event: { order: created, eventId: event },
    record: { order: created, objectId: record },
    redeliveries: { order: created, trigger: 'redeliver' },
    replays: { order: created, trigger: 'replay' },
    'finished after': { order: finished, finishedAfter: '2020-01-01T00:00:00.000Z' },
    'created after': { order: created, createdAfter: '2020-01-01T00:00:00.000Z' },
  }) satisfies Readonly<Record<string, Filter>>;

const names = Object.keys(filtersOf(middleOf(0))).flatMap((name) =>
  Object.keys(scopes).map((scope) => `${name}, ${scope}`),
);

/**
 * Pages of the lists of deliveries on MongoDB, with each filter alone. Each may take at most 1.2
 * times as long as at ten thousand.
 */
export const deliveryListsDistributed: Row = {
  name: 'delivery-lists-distributed',
  title: 'a page of deliveries on MongoDB, at a million',
  yardstick: 'at ten thousand',
  isDistributed: true,
  onlyByName: true,
  figures: names.map((name) => ({
    name,
    unit: 'ms',
    goals: [{ of: 'ratio', atMost: 1.2 }],
  })),
  prepare: async (bench) => {
    const started = await requireServers('MongoDB').start('MongoDB');
    const server = bench.use({ ...started, close: () => started.stop() });
    bench.note(serverNote(server));
    const [large, small] = [bench.count(many), bench.count(few)];
    bench.note(`${large} deliveries against ${small}`);
    const dataDir = await bench.directory();
    const reader = async (count: number): Promise<() => Promise<Figures>> => {
      const url = databaseUrl(server.url, `deliveries_${count}`);
      const store = bench.use(await openDeliveryStore(url, { dataDir }));
      const offset = { source: 'bench', partition: 'bench', offset: '1' };
      await addDeliveries(store, { count, endpoints, offset });
      const measure = () => measureAll(store, count, bench);
      await measure();
      return measure;
    };
    const measure = await reader(large);
    return { measure, yardstick: await reader(small) };
  },
};

const measureAll = async (store: DeliveryStore, count: number, bench: Bench): Promise<Figures> => {
  const figures: Record<string, number> = {};
  for (const [name, filter] of Object.entries(filtersOf(middleOf(count))))
    for (const [scope, of] of Object.entries(scopes))
      figures[`${name}, ${scope}`] = await medianPage(
        store,
        { ...of, ...filter, limit: 25 },
        bench.count(pages),
      );
  return figures;
};

/** The median time of a page in milliseconds. After the last page comes the first one again. */
const medianPage = async (
  store: DeliveryStore,
  query: DeliveryQuery,
  times: number,
): Promise<number> => {
  const taken: number[] = [];
  let after: DeliveryQuery['after'];
  for (let page = 0; page < times; page++) {
    const begun = machineClock.now();
    const { next } = await store.find({ ...query, after });
    taken.push(machineClock.now() - begun);
    after = next;
  }
  return percentileOf(taken, 50);
};
