import type { Quote } from '@refledger/contracts';
import type { Target } from '../../load/load-plan.js';
import { amountOf } from '../../load/requests.js';
import type { Row } from '../../row.js';
import { startService, type Service } from '../../service/service.js';
import { Shop } from '../../service/shop.js';
import { closedLoopFigures } from '../closed-loop-figures.js';
import { besideBareFastify } from '../exchange-loop.js';

const path = '/v1/programs/prog_bench/quote';
const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first' };
const occurred_at = '2026-11-24T12:00:00.000Z';

/**
 * Quotes of a program that pays for first sales, for a hundred affiliates. Of every three quotes,
 * one is for no customer, one for a new one, and one for one that has bought before.
 */
export const quote: Row = {
  name: 'quote',
  title: 'POST /v1/programs/:id/quote, 64 connections',
  yardstick: 'bare Fastify POST, same bytes',
  figures: closedLoopFigures(),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const shop = await Shop.open(service, bench.count(100));
    await service.patch('/v1/programs/prog_bench', { terms });
    return besideBareFastify(bench, service, await quoteTargets(service, shop));
  },
};

/** Three quotes per affiliate, each with its response, which is checked once. */
const quoteTargets = async (service: Service, shop: Shop): Promise<readonly Target[]> => {
  const targets: Target[] = [];
  for (const [n, affiliate_id] of shop.affiliateIds.entries()) {
    const sale = { affiliate_id, sale_amount: amountOf(n), sale_currency: 'USD', occurred_at };
    await service.patch(`/v1/affiliates/${affiliate_id}`, { status: 'approved' });
    await service.post('/v1/conversions', { ...sale, customer_id: 'known' });
    const whole = Math.floor((amountOf(n) * terms.rate_bps + 5_000) / 10_000);
    targets.push(
      await quoteTarget(service, sale, whole),
      await quoteTarget(service, { ...sale, customer_id: 'new' }, whole),
      await quoteTarget(service, { ...sale, customer_id: 'known' }, 0),
    );
  }
  return targets;
};

const quoteTarget = async (service: Service, sale: object, earned: number): Promise<Target> => {
  const response = await service.post<Quote>(path, sale);
  const body = JSON.stringify(response);
  if (response.commission_amount !== earned)
    throw new Error(`a quote for ${JSON.stringify(sale)} is not ${earned}: ${body}`);
  return { path, sent: JSON.stringify(sale), body };
};
