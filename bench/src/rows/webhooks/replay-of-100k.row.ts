import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import type { Bench } from '../../bench.js';
import { specOf } from '../../data-set/data-sets.js';
import { affiliatesOf } from '../../data-set/data-set-spec.js';
import { storedKeys } from '../../data-set/data-set-keys.js';
import { writeDataSet } from '../../data-set/write-data-set.js';
import { LoadGenerator } from '../../load/load-generator.js';
import { Sales } from '../../load/sales.js';
import { Receiver } from '../../receiver/receiver.js';
import type { Row } from '../../row.js';
import { Api } from '../../service/api.js';
import { startService, type Service } from '../../service/service.js';
import { Shop } from '../../service/shop.js';
import { webhookLatencies } from '../../measures/webhook-latency.js';

const replayed = 100_000;
/** The most webhooks that an endpoint may get, per second. */
const fastest = 1_000;
const atMaximum = 'p95 at 1,000/s';
/** A conversion has 1.7 events: ten million other events are 5,800,000 conversions. */
const otherConversions = Number(process.env['BENCH_REPLAY_CONVERSIONS'] ?? 580_000);

interface Replay {
  readonly id: string;
  readonly status: string;
  readonly planned: number;
  readonly succeeded: number;
}

/**
 * A replay of 100,000 events to a new endpoint, in a log of many others: at 20 per second, the
 * default, and at 1,000 per second, the most that an endpoint may get. Meanwhile another account's
 * webhooks may take at most twice as long. Each measurement stops its replay. At the end the
 * service is killed in the middle of another replay, and nothing may be missing.
 */
export const replayOf100k: Row = {
  name: 'replay-of-100k',
  title: "another account's webhooks during a replay of 100,000 events",
  yardstick: 'without the replay',
  onlyByName: true,
  figures: [
    { name: 'p50', unit: 'ms', goals: [] },
    { name: 'p95', unit: 'ms', goals: [{ of: 'ratio', atMost: 2 }] },
    { name: atMaximum, unit: 'ms', goals: [{ of: 'ratio', atMost: 2 }] },
  ],
  prepare: async (bench) => {
    const directory = await directoryWithOthers(bench);
    const service = bench.use(await startService(directory));
    const account = await service.newAccount();
    await sell(bench, account, bench.count(replayed));
    await service.caughtUp();
    const receiver = bench.use(await Receiver.start());
    const hook = `/v1/webhooks/${await subscribe(account, receiver)}`;
    const others = await webhookLatencies(bench, await service.newAccount(), 50);
    const seconds = bench.seconds(20);
    const percentiles = async () => {
      const { p50, p95 } = await others.percentiles(seconds);
      return { p50: p50 ?? Number.NaN, p95: p95 ?? Number.NaN };
    };
    const besideReplay = async (max_per_second: number | null) => {
      await account.patch(hook, { max_per_second });
      const replay = await begin(account, hook, 'all');
      const figures = await percentiles();
      await account.delete(`${hook}/replays/${replay.id}`);
      await account.patch(hook, { max_per_second: fastest });
      await nothingWaits(account, hook);
      return figures;
    };
    await percentiles();
    return {
      measure: async () => {
        const { p50, p95 } = await besideReplay(null);
        return { p50, p95, [atMaximum]: (await besideReplay(fastest)).p95 };
      },
      yardstick: async () => {
        const alone = await percentiles();
        return { ...alone, [atMaximum]: alone.p95 };
      },
      finish: async () => {
        await others.expectAllCounted();
        await replayThroughKill(bench, { service, account, directory });
      },
    };
  },
};

const directoryWithOthers = async (bench: Bench): Promise<string> => {
  const directory = await bench.directory();
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' }),
  );
  const spec = specOf(bench.count(otherConversions));
  const keys = await storedKeys(directory, log, affiliatesOf(spec));
  const { events } = await writeDataSet(log, spec, undefined, keys);
  await log.close();
  bench.note(`${events} other events`);
  return directory;
};

const sell = async (bench: Bench, account: Api, count: number): Promise<void> => {
  const sales = new Sales((await Shop.open(account, 20)).affiliateIds);
  const load = bench.use(new LoadGenerator());
  await load.run({
    origin: account.baseUrl,
    key: account.key,
    connections: 64,
    rate: { kind: 'closed', count },
    requests: sales.next(),
  });
  await load.close();
};

const subscribe = async (account: Api, receiver: Receiver): Promise<string> => {
  const { id } = await account.post<{ id: string }>('/v1/webhooks/subscribe', {
    target_url: `${receiver.origin}/replayed`,
    events: ['conversion.created'],
    max_per_second: fastest,
  });
  return id;
};

const begin = (account: Api, hook: string, only: 'all' | 'missing'): Promise<Replay> =>
  account.post<Replay>(`${hook}/replays`, { since: '0', only });

const nothingWaits = async (account: Api, hook: string): Promise<void> => {
  for (;;) {
    const { waiting } = await account.get<{ waiting: number | null }>(hook);
    if (waiting === 0) return;
    await sleep(100);
  }
};

/**
 * Replays everything to a new endpoint, kills the service in the middle, and counts what arrived.
 */
const replayThroughKill = async (
  bench: Bench,
  { service, account, directory }: { service: Service; account: Api; directory: string },
): Promise<void> => {
  const receiver = bench.use(await Receiver.start());
  const hook = `/v1/webhooks/${await subscribe(account, receiver)}`;
  const wanted = bench.count(replayed);
  const { id } = await begin(account, hook, 'missing');
  while ((await receiver.received()).distinct < wanted / 2) await sleep(100);
  await service.kill();
  const again = bench.use(await startService(directory));
  const after = new Api(again.baseUrl, account.key);
  for (;;) {
    const { planned, succeeded, status } = await after.get<Replay>(`${hook}/replays/${id}`);
    if (status === 'finished' && planned === succeeded) break;
    await sleep(500);
  }
  const { distinct, count } = await receiver.received();
  bench.note(`${count - distinct} of ${distinct} webhooks arrived twice around the kill`);
  if (distinct !== wanted) throw new Error(`of ${wanted} events, ${distinct} arrived`);
};
