import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndpointId } from '@refledger/contracts';
import { Health, newLogger, newMetrics, readConfig } from '@refledger/platform';
import { affiliatesProjection, webhookEndpointsProjection } from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';
import { eventually, TestAccount, type Problem } from '@refledger/testing';
import { openDeliveryStore, type DeliveryStore } from '@refledger/delivery-store';
import { startGateway, type Gateway } from '../src/index.js';
import { openEmbedded, projectTo, type Engines } from './engines.js';
import { TestKeys } from './test-keys.js';

const lease = {
  holder: 'a dispatcher',
  now: '2999-01-01T00:00:00.000Z',
  leaseUntil: '2999-01-02T00:00:00.000Z',
};

/** A delivery store that no dispatcher serves, and read models that nothing updates by itself. */
describe('a gateway that ends while requests wait', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'refledger-gateway-'));
  const adminKey = randomBytes(24).toString('hex');
  const metrics = newMetrics();
  let engines: Engines;
  let keys: TestKeys;
  let deliveries: DeliveryStore;
  let gateway: Gateway;
  let account: TestAccount;
  beforeAll(async () => {
    engines = await openEmbedded();
    keys = await TestKeys.open();
    deliveries = await openDeliveryStore('sqlite:', { dataDir });
    gateway = await startGateway({
      config: readConfig({
        PORT: '0',
        DATA_DIR: dataDir,
        BOOTSTRAP_API_KEY: adminKey,
        CONSISTENCY_TIMEOUT: '5m',
        WEBHOOK_TIMEOUT: '5m',
      }),
      log: engines.log,
      store: engines.store,
      keyStore: keys.store,
      secretBox: openSecretBox([randomBytes(32)]),
      logger: newLogger('silent', 'gateway'),
      metrics,
      health: new Health([]),
      loadOrCreateFirstKey: (fresh) => Promise.resolve(fresh()),
      graceMs: { toWait: 0, toFinish: 300_000 },
    });
    account = await TestAccount.open({ baseUrl: gateway.url, adminKey });
  });
  afterAll(async () => {
    await deliveries.close();
    await keys.close();
    await engines.close();
    rmSync(dataDir, { recursive: true });
  });

  it('answers them with 503 instead of closing their connections', async () => {
    const { id } = await account.subscribe('http://127.0.0.1:9/', ['affiliate.created']);
    for (const projection of [webhookEndpointsProjection, affiliatesProjection])
      await projectTo(engines, projection);
    const testing = account.api.post<Problem>(`/v1/webhooks/${id}/test`, {});
    // as by a dispatcher, which then waits for the receiver
    await eventually(async () =>
      expect(await deliveries.claimTests(id as EndpointId, lease)).toHaveLength(1),
    );
    await account.affiliate();
    const listing = account.api.get<Problem>('/v1/affiliates');
    await eventually(() => expect(metrics.readsWaiting.count).toBe(1));

    const ending = gateway.close();
    for (const [waiting, code] of [
      [testing, 'unavailable'],
      [listing, 'read_model_behind'],
    ] as const)
      expect(await waiting).toMatchObject({
        status: 503,
        body: { code, detail: 'The service is shutting down. Retry later.' },
      });
    await ending;
  });
});
