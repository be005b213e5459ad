import type { Bench } from '../../bench.js';
import { percentileOf } from '../../figures/spread.js';
import { machineClock } from '../../load/clock.js';
import type { Figures, Row } from '../../row.js';
import { deliveredDirectory, type DeliveredDirectory } from '../../measures/delivered-directory.js';
import { startService, type Service } from '../../service/service.js';

/** The pages of each list that are read in a round. */
const walks = 10;
const pagesPerWalk = 10;

/** The filters, one at a time, and the orders. */
const queriesOf = ({ some }: DeliveredDirectory) => ({
  unfiltered: '',
  'by end': 'sort=-finished_at',
  succeeded: 'status=succeeded',
  failed: 'status=failed',
  canceled: 'status=canceled',
  held: 'status=held',
  waiting: 'status=waiting',
  type: 'type=affiliate.created',
  'no such type': 'type=payout.completed',
  event: `event_id=${some.event}`,
  record: `object_id=${some.record}`,
  redeliveries: 'trigger=redeliver',
  replays: 'trigger=replay',
  'finished after': 'finished_after=2020-01-01T00:00:00Z',
  'created after': 'created_after=2020-01-01T00:00:00Z',
});

const names = Object.keys(
  queriesOf({ path: '', endpoints: [], some: { event: '', record: '' } }),
).flatMap((name) => [`${name}, account`, `${name}, endpoint`]);

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/**
 * Pages of the lists of deliveries, with each filter alone, at a million deliveries. Each may take
 * at most 1.2 times as long as at ten thousand.
 */
export const deliveryListsAtAMillion: Row = {
  name: 'delivery-lists-at-a-million',
  title: 'a page of deliveries, at a million',
  yardstick: 'at ten thousand',
  onlyByName: true,
  figures: names.map((name) => ({
    name,
    unit: 'ms',
    goals: [{ of: 'ratio', atMost: 1.2 }],
  })),
  prepare: async (bench) => {
    const reader = async (count: number): Promise<() => Promise<Figures>> => {
      const directory = await deliveredDirectory(bench, bench.count(count));
      const service = bench.use(await startService(directory.path));
      await service.caughtUp();
      const measure = () => measureAll(service, directory, bench);
      await measure();
      return measure;
    };
    const measure = await reader(1_000_000);
    return { measure, yardstick: await reader(10_000) };
  },
};

const measureAll = async (
  service: Service,
  directory: DeliveredDirectory,
  bench: Bench,
): Promise<Figures> => {
  const figures: Record<string, number> = {};
  const [endpoint] = directory.endpoints;
  // a process that was idle answers its first requests more slowly
  await medianPage(service, '/v1/deliveries?', bench.count(walks));
  for (const [name, query] of Object.entries(queriesOf(directory)))
    for (const [scope, path] of [
      ['account', '/v1/deliveries'],
      ['endpoint', `/v1/webhooks/${endpoint}/deliveries`],
    ] as const)
      figures[`${name}, ${scope}`] = await medianPage(
        service,
        `${path}?${query}`,
        bench.count(walks),
      );
  return figures;
};

/** The median time of a page in milliseconds, over the first pages of a list. */
const medianPage = async (service: Service, path: string, times: number): Promise<number> => {
  const taken: number[] = [];
  for (let walk = 0; walk < times; walk++) {
    let cursor: string | null = '';
    for (let page = 0; page < pagesPerWalk && cursor !== null; page++) {
      const begun = machineClock.now();
      const { next_cursor }: Page = await service.get<Page>(
        cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
      );
      taken.push(machineClock.now() - begun);
      cursor = next_cursor;
    }
  }
  return percentileOf(taken, 50);
};
