import type { Bench } from '../../bench.js';
import { machineClock } from '../../load/clock.js';
import type { Figures, Goal, Row } from '../../row.js';
import { residentMb } from '../../service/process-use.js';
import { startService } from '../../service/service.js';
import { mediansOf } from './medians-of.js';
import { adjustmentFor, amount, owingDirectory, type OwingDirectory } from './owing-directory.js';

const startsPerRound = 5;
const entries = { few: 10_000, many: 1_000_000 };
/** How much more a hundred times as many entries may cost. */
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
    const few = await owingDirectory(bench, bench.count(entries.few));
    const many = await owingDirectory(bench, bench.count(entries.many));
    return {
      measure: () => mediansOf(startsPerRound, () => firstRequests(bench, many)),
      yardstick: () => mediansOf(startsPerRound, () => firstRequests(bench, few)),
    };
  },
};

const firstRequests = async (bench: Bench, directory: OwingDirectory): Promise<Figures> => {
  const service = bench.use(await startService(directory.path));
  // any request, so that code for requests is loaded
  await service.get('/v1/conversions');
  const path = `/v1/balances/${directory.balance}`;
  const read = async () => {
    const begin = machineClock.now();
    const { adjusted } = await service.get<{ adjusted: number }>(path);
    if (adjusted !== directory.adjusted)
      throw new Error(`${directory.adjusted} was adjusted, but ${path} shows ${adjusted}`);
    return machineClock.now() - begin;
  };
  const GET = await read();
  const begin = machineClock.now();
  await service.post('/v1/adjustments', adjustmentFor(directory.affiliate));
  directory.adjusted += amount;
  await read();
  const figures = {
    GET,
    'adjustment to balance': machineClock.now() - begin,
    memory: residentMb(service.pid),
  };
  await service.close();
  return figures;
};
