import type { Target } from '../../load/load-plan.js';
import { LoadGenerator } from '../../load/load-generator.js';
import type { Row } from '../../row.js';
import { Shop } from '../../service/shop.js';
import { startService, type Service } from '../../service/service.js';
import { closedLoopFigures } from '../closed-loop-figures.js';
import { warmedUp } from '../exchange-loop.js';
import { checkedTargets, some } from './read.js';

/** The numbers of events of the two records. Both exceed the 100 that one read may have to fold. */
const events = { many: 1_000, few: 200 };
const pageSize = 25;

/**
 * Reads the history of a record with many events, and the record as of some of its changes. This
 * may take at most 1.2 times as long as the same reads of a record with few.
 */
export const history: Row = {
  name: 'history',
  title: 'GET …/history, and as_of, of a conversion with 1,000 events, 64 connections',
  yardstick: 'of one with 200',
  figures: closedLoopFigures(1 / 1.2),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const shop = await Shop.open(service, 1);
    const load = bench.use(new LoadGenerator());
    const reader = async (count: number) => {
      const targets = await historyTargets(service, await changedSale(service, shop, count), count);
      return warmedUp(bench, {
        load,
        server: service,
        origin: service.baseUrl,
        requests: () => ({ kind: 'exchanges', targets }),
      });
    };
    const measure = await reader(events.many);
    return { measure, yardstick: await reader(events.few) };
  },
};

/** The path of a new conversion with this many events. */
const changedSale = async (service: Service, shop: Shop, count: number): Promise<string> => {
  const [affiliate_id] = shop.affiliateIds;
  const sale = { affiliate_id, sale_amount: 1, sale_currency: 'USD' };
  const { id } = await service.post<{ id: string }>('/v1/conversions', sale);
  const path = `/v1/conversions/${id}`;
  for (let n = 1; n < count; n++) await service.patch(path, { sale_amount: n + 1 });
  await service.caughtUp();
  return path;
};

interface Page {
  readonly data: readonly {
    readonly revision: number;
    readonly position: string;
    readonly at: string;
  }[];
  readonly next_cursor: string | null;
}

/**
 * Every page, with and without records, and the record as of some changes, by position and time.
 */
const historyTargets = async (
  service: Service,
  path: string,
  count: number,
): Promise<readonly Target[]> => {
  const pages: string[] = [];
  const changes: Page['data'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: string = `${path}/history?limit=${pageSize}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { data, next_cursor }: Page = await service.get(page);
    pages.push(page);
    changes.push(...data);
    cursor = next_cursor;
  }
  if (changes.length !== count || changes.some(({ revision }, n) => revision !== count - 1 - n))
    throw new Error(`the history of ${path} does not have ${count} changes in order`);
  return [
    ...(await checkedTargets<Page>(
      service,
      [...pages, ...pages.map((page) => `${page}&include=record`)].map(
        (page) => [page, ({ data }) => data.length === pageSize] as const,
      ),
    )),
    ...(await checkedTargets<{ readonly revision: number }>(
      service,
      some(changes, pages.length).flatMap(({ revision, position, at }) => [
        [`${path}?as_of=${position}`, (record) => record.revision === revision] as const,
        [`${path}?as_of=${at}`, (record) => record.revision >= revision] as const,
      ]),
    )),
  ];
};
