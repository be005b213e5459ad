import { AdjustmentCommands, CommandHandler, newContext } from '@refledger/application';
import { newId, type AffiliateId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import type { Bench } from '../../bench.js';
import { rateOf } from '../../event-log/sample-events.js';
import { spreadOf } from '../../figures/spread.js';
import { machineClock } from '../../load/clock.js';
import type { Figures, Goal, Row } from '../../row.js';
import { residentMb } from '../../service/process-use.js';
import { startService } from '../../service/service.js';
import { Shop } from '../../service/shop.js';

const amount = 250;
const startsPerRound = 5;
const entries = { few: 10_000, many: 1_000_000 };
/** What a hundred times the entries may cost. */
const level: Goal = { of: 'ratio', atMost: 1.2 };

/** The first requests after a start that need a balance of very many entries. */
export const balanceAtAMillion: Row = {
  name: 'balance-at-a-million',
  title: 'a balance of a million entries, right after a start',
  yardstick: 'one of ten thousand',
  onlyByName: true,
  figures: [
    { name: 'GET', unit: 'ms', goals: [{ of: 'figure', atMost: 100 }, level] },
    {
      name: 'adjustment to balance',
      unit: 'ms',
      goals: [{ of: 'figure', atMost: 100 }, level],
    },
    { name: 'memory', unit: 'MB', goals: [level] },
  ],
  prepare: async (bench) => {
    const few = await folderWith(bench, bench.count(entries.few));
    const many = await folderWith(bench, bench.count(entries.many));
    return {
      measure: () => ofStarts(bench, many),
      yardstick: () => ofStarts(bench, few),
    };
  },
};

interface Folder {
  readonly path: string;
  readonly affiliate: AffiliateId;
  /** The id of its balance. */
  readonly balance: string;
  /** The sum of all adjustments so far. */
  adjusted: number;
}

/** The medians of several starts, since each has only one first request. */
const ofStarts = async (bench: Bench, folder: Folder): Promise<Figures> => {
  const starts: Figures[] = [];
  for (let n = 0; n < startsPerRound; n++) starts.push(await firstRequests(bench, folder));
  return Object.fromEntries(
    Object.keys(starts[0] ?? {}).map((name) => [
      name,
      spreadOf(starts.map((figures) => figures[name] ?? NaN)).median,
    ]),
  );
};

const firstRequests = async (bench: Bench, folder: Folder): Promise<Figures> => {
  const service = bench.use(await startService(folder.path));
  // any request, so that code for requests is loaded
  await service.get('/v1/conversions');
  const path = `/v1/balances/${folder.balance}`;
  const read = async () => {
    const begin = machineClock.now();
    const { adjusted } = await service.get<{ adjusted: number }>(path);
    if (adjusted !== folder.adjusted)
      throw new Error(`${folder.adjusted} was adjusted, but ${path} shows ${adjusted}`);
    return machineClock.now() - begin;
  };
  const GET = await read();
  const begin = machineClock.now();
  await service.post('/v1/adjustments', adjustmentFor(folder.affiliate));
  folder.adjusted += amount;
  await read();
  const figures = {
    GET,
    'adjustment to balance': machineClock.now() - begin,
    memory: residentMb(service.pid),
  };
  await service.close();
  return figures;
};

const adjustmentFor = (affiliate_id: AffiliateId) => ({
  affiliate_id,
  amount,
  currency: 'USD',
  description: 'Bonus',
});

/** Makes a folder in which one affiliate has this many adjustments, all posted. */
const folderWith = async (bench: Bench, count: number): Promise<Folder> => {
  const path = await bench.folder();
  const service = bench.use(await startService(path));
  const [id] = (await Shop.open(service, 1)).affiliateIds;
  // decoding boundary: the service has just created it
  const affiliate = id as AffiliateId;
  await service.caughtUp();
  await service.close();
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode: 'write' }),
  );
  const commands = new AdjustmentCommands(new CommandHandler(log));
  await rateOf(count, 1_024, () =>
    commands.create(
      newId('adjustment'),
      adjustmentFor(affiliate),
      newContext({ accountId: firstAccountId, actor: 'bench', requestId: 'bench' }),
    ),
  );
  await log.close();
  const again = bench.use(await startService(path));
  await again.caughtUp();
  const { data } = await again.get<{ data: readonly { id: string }[] }>(
    `/v1/affiliates/${affiliate}/balances`,
  );
  await again.close();
  return { path, affiliate, balance: data[0]?.id ?? '', adjusted: count * amount };
};
