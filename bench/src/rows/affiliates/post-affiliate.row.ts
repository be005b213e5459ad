import type { AffiliateRecord } from '@refledger/contracts';
import { LoadGenerator } from '../../load/load-generator.js';
import type { NewAffiliates } from '../../load/load-plan.js';
import type { Row } from '../../row.js';
import type { Api } from '../../service/api.js';
import { startService } from '../../service/service.js';
import { BareFastify } from '../../yardsticks/bare-fastify.js';
import { closedLoopFigures } from '../closed-loop-figures.js';
import { warmedUp } from '../exchange-loop.js';

/**
 * Durable writes of affiliates in a closed loop: each puts a key, takes the claim of its email, and
 * seals its personal values.
 */
export const postAffiliate: Row = {
  name: 'post-affiliate',
  title: 'POST /v1/affiliates, 64 connections, durable',
  yardstick: 'bare Fastify POST, same body',
  figures: closedLoopFigures(),
  prepare: async (bench) => {
    const service = bench.use(await startService(await bench.directory()));
    const bare = bench.use(await BareFastify.start());
    const load = bench.use(new LoadGenerator());
    let batches = 0;
    let created = 0;
    const requests = (): NewAffiliates => ({
      kind: 'new affiliates',
      prefix: `batch${batches++}`,
    });
    const loop = { load, requests, seconds: { warmUp: 3, measured: 8 } };
    return {
      measure: await warmedUp(bench, {
        ...loop,
        server: service,
        origin: service.baseUrl,
        wereAnswered: (count) => (created += count),
      }),
      yardstick: await warmedUp(bench, { ...loop, server: bare, origin: bare.origin }),
      finish: () => expectAffiliates(service, created),
    };
  },
};

/** Throws unless the account has exactly this many affiliates, each with the name that was sent. */
const expectAffiliates = async (service: Api, created: number): Promise<void> => {
  const names = new Set<string | null>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Page = await service.get(`/v1/affiliates?limit=100${from}`);
    for (const { name } of page.data) names.add(name);
    cursor = page.next_cursor;
  }
  if (names.size !== created)
    throw new Error(`${created} affiliates were acknowledged, but ${names.size} are listed`);
};

interface Page {
  readonly data: readonly AffiliateRecord[];
  readonly next_cursor: string | null;
}
