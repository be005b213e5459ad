import type { Bench } from '../../bench.js';
import type { Figures, Goal, Row } from '../../row.js';
import { residentMb } from '../../service/process-use.js';
import { startService } from '../../service/service.js';
import { mediansOf } from '../ledger/medians-of.js';
import { owingDirectory, type OwingDirectory } from '../ledger/owing-directory.js';
import { cancel, pay } from './payouts.js';

const startsPerRound = 5;
const entries = { few: 10_000, many: 1_000_000 };
/** How much more a hundred times as many entries may cost. */
const level: Goal = { of: 'ratio', atMost: 1.2 };

/** The first payout after a start, of a balance of very many open entries. */
export const payoutAtAMillion: Row = {
  name: 'payout-at-a-million',
  title: 'POST /v1/payouts for a million open entries, right after a start',
  yardstick: 'the same for ten thousand',
  onlyByName: true,
  figures: [
    { name: 'POST', unit: 'ms', goals: [{ of: 'figure', atMost: 100 }, level] },
    { name: 'memory', unit: 'MB', goals: [level] },
  ],
  prepare: async (bench) => {
    const few = await owingDirectory(bench, bench.count(entries.few));
    const many = await owingDirectory(bench, bench.count(entries.many));
    return {
      measure: () => mediansOf(startsPerRound, () => firstPayout(bench, many)),
      yardstick: () => mediansOf(startsPerRound, () => firstPayout(bench, few)),
    };
  },
};

const firstPayout = async (bench: Bench, directory: OwingDirectory): Promise<Figures> => {
  const service = bench.use(await startService(directory.path));
  // any request, so that code for requests is loaded
  await service.get('/v1/conversions');
  const { payout, ms } = await pay(service, directory);
  const memory = residentMb(service.pid);
  await cancel(service, payout);
  await service.close();
  return { POST: ms, memory };
};
