import { lagsOf } from '../../measures/read-model-lag.js';
import { startService } from '../../service/service.js';
import type { Row } from '../../row.js';

/** How far balances of the embedded service are behind sales that are approved immediately. */
export const ledgerLag: Row = {
  name: 'ledger-lag',
  title: 'ledger lag at 1,000 approved sales/s',
  figures: [
    { name: 'p50', unit: 'ms', goals: [] },
    { name: 'p95', unit: 'ms', goals: [] },
    { name: 'p99', unit: 'ms', goals: [{ of: 'figure', atMost: 100 }] },
  ],
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    await service.post('/v1/programs', {
      id: 'prog_bench',
      name: 'Bench',
      terms: { type: 'percentage', rate_bps: 10_000 },
      affiliate_approval: 'automatic',
      conversion_approval: 'automatic',
    });
    const sales = await lagsOf('/v1/balances?limit=1', bench, service, 1_000);
    await sales.percentiles(bench.seconds(4));
    return {
      measure: () => sales.percentiles(bench.seconds(12)),
      finish: async () => {
        await sales.expectAllCounted();
        const { data } = await service.get<{ data: { earned: number }[] }>(
          '/v1/balances?limit=100',
        );
        const earned = data.reduce((sum, balance) => sum + balance.earned, 0);
        // each sale earns its whole amount
        if (earned !== sales.amount())
          throw new Error(`${sales.amount()} was earned, but the balances show ${earned}`);
      },
    };
  },
};
