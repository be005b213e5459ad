import { eventually, type Payout, type PayoutRun } from '@refledger/testing';
import { rateOf } from '../../event-log/sample-events.js';
import { machineClock } from '../../load/clock.js';
import type { Figures, Row } from '../../row.js';
import { startService, type Service } from '../../service/service.js';

const balances = 10_000;
const amount = 250;
const connections = 64;

/** One run that pays very many balances, beside as many requests for single payouts. */
export const runOver10k: Row = {
  name: 'run-over-10k',
  title: 'a payout run over 10,000 balances',
  yardstick: 'as many POST /v1/payouts, 64 at once',
  onlyByName: true,
  figures: [{ name: 'all paid', unit: 'ms', goals: [{ of: 'figure', atMost: 60_000 }] }],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const affiliates = await owedAffiliates(service, bench.count(balances));
    return {
      measure: () => paidByRun(service, affiliates.length),
      yardstick: () => paidOneByOne(service, affiliates),
    };
  },
};

const paidByRun = async (service: Service, count: number): Promise<Figures> => {
  const begin = machineClock.now();
  const { id } = await service.post<PayoutRun>('/v1/payout-runs', {});
  const run = await runOnce(service, id, ({ status }) => status === 'finished');
  const ms = machineClock.now() - begin;
  const [total] = run.totals;
  if (run.payouts.created !== count || total?.amount !== count * amount)
    throw new Error(`${count} balances were payable, but the run is ${JSON.stringify(run)}`);
  await service.patch(`/v1/payout-runs/${id}`, { status: 'canceled' });
  await runOnce(service, id, ({ marks }) => marks[0]?.applied_at !== null);
  await service.caughtUp();
  return { 'all paid': ms };
};

/** Resolves to the run as soon as this holds. */
const runOnce = (
  service: Service,
  id: string,
  holds: (run: PayoutRun) => boolean,
): Promise<PayoutRun> =>
  eventually(
    async () => {
      const run = await service.get<PayoutRun>(`/v1/payout-runs/${id}`);
      if (!holds(run)) throw new Error(`payout run ${id} is ${JSON.stringify(run)}`);
      return run;
    },
    { timeoutMs: 10 * 60_000, intervalMs: 20 },
  );

const paidOneByOne = async (service: Service, affiliates: readonly string[]): Promise<Figures> => {
  const payouts: string[] = [];
  const begin = machineClock.now();
  await rateOf(affiliates.length, connections, async (n) => {
    const { id } = await service.post<Payout>('/v1/payouts', {
      affiliate_id: affiliates[n],
      currency: 'USD',
    });
    payouts.push(id);
  });
  const ms = machineClock.now() - begin;
  await rateOf(payouts.length, connections, (n) =>
    service.patch(`/v1/payouts/${payouts[n]}`, { status: 'canceled' }),
  );
  await service.caughtUp();
  return { 'all paid': ms };
};

/** Creates affiliates that can be paid, each with one open entry. Returns their ids. */
const owedAffiliates = async (service: Service, count: number): Promise<readonly string[]> => {
  await service.post('/v1/programs', {
    id: 'prog_bench',
    name: 'Bench',
    affiliate_approval: 'automatic',
  });
  const ids: string[] = [];
  await rateOf(count, connections, async (n) => {
    const { id } = await service.post<{ id: string }>('/v1/affiliates', {
      email: `affiliate.${n}@example.com`,
      name: `Affiliate ${n}`,
      program_id: 'prog_bench',
    });
    await service.post('/v1/adjustments', {
      affiliate_id: id,
      amount,
      currency: 'USD',
      description: 'Bonus',
    });
    ids.push(id);
  });
  await service.caughtUp();
  return ids;
};
