import type { Row } from '../../row.js';
import { rateOf, WebhookLoad } from '../../measures/webhook-load.js';
import { startPostLoop } from '../../yardsticks/post-loop.js';

/**
 * A burst of sales, measured from the first delivery that arrives until every outcome is recorded:
 * planning, signing, sending and recording outcomes, and the writes too.
 */
export const webhooksSustained: Row = {
  name: 'webhooks',
  title: 'webhooks sustained, 10 endpoints',
  yardstick: 'bare undici POST loop, same bytes, 64 connections',
  figures: [{ name: 'deliveries', unit: '/s', goals: [{ of: 'ratio', atLeast: 0.5 }] }],
  prepare: async (bench) => {
    const load = await WebhookLoad.open(bench);
    const postLoop = bench.use(startPostLoop());
    const sales = bench.count(4_000);
    const { headers, body } = (await load.burst(Math.ceil(sales / 2))).received.sample ?? {};
    if (headers === undefined || body === undefined) throw new Error('no webhook arrived');
    const sent = Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !connectionHeaders.has(name))
        .map(([name, value]) => [name, String(value)]),
    );

    const post = async (round: number): Promise<number> => {
      await load.receiver.forget();
      await postLoop.request({
        url: `${load.receiver.origin}/0`,
        headers: sent,
        body,
        count: sales * 10,
        connections: 64,
        prefix: `loop-${round}`,
      });
      return rateOf(await load.receiver.all(sales * 10));
    };
    await post(0);
    return {
      measure: async () => ({ deliveries: (await load.burst(sales)).perSecond }),
      yardstick: async (round) => ({ deliveries: await post(round) }),
    };
  },
};

/** The headers that a client sets itself. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
]);
