import { randomBytes } from 'node:crypto';
import {
  eventually,
  startGatewayWithoutReadStore,
  ServiceProcess,
  TestAccount,
  unusedPort,
  type DistributedService,
  type Problem,
  type ServiceRole,
} from '@refledger/testing';
import {
  describeWithServers,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';

describe('services without their read store, delivery store and broker', () => {
  let log: TestServer;
  beforeAll(async () => {
    log = await startEventStoreDb();
  });
  afterAll(() => log.stop());

  const settings = async () => ({
    EVENT_LOG_URL: log.url,
    READ_STORE_URL: `mongodb://127.0.0.1:${await unusedPort()}/?serverSelectionTimeoutMS=200`,
    EVENT_BUS_URL: `kafka://127.0.0.1:${await unusedPort()}`,
    BOOTSTRAP_API_KEY: randomBytes(20).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    OPS_PORT: '0',
  });

  const roles: readonly ServiceRole[] = ['gateway', 'projector', 'relay', 'webhook-dispatcher'];

  it.each(roles)(
    'the %s stays alive, reports what it waits for, and shuts down cleanly',
    async (role) => {
      const env = await settings();
      const service = new ServiceProcess(role, env);
      try {
        const ops = await service.opsAddress();
        const detail = await eventually(async () => {
          const response = await fetch(`${ops}/health/ready`);
          const text = await response.text();
          expect([response.status, text]).toEqual([
            503,
            expect.stringMatching(/is unavailable|ECONNREFUSED/),
          ]);
          return text;
        });
        expect((await fetch(`${ops}/health/live`)).status).toBe(200);
        expect(detail).not.toContain(env.BOOTSTRAP_API_KEY);
      } finally {
        expect(await service.end('SIGTERM')).toBe(0);
      }
    },
  );
});

describeWithServers(['MongoDB'], 'a gateway without its read store', (servers) => {
  let gateway: DistributedService;
  beforeAll(async () => {
    gateway = await startGatewayWithoutReadStore(servers);
  });
  afterAll(() => gateway.stop());

  it('accepts and shows a sale, and returns 503 for lists and statistics', async () => {
    const account = await TestAccount.open(gateway);
    const affiliate = await account.affiliate();
    const sale = await account.conversion(affiliate.id);
    expect((await account.api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);

    for (const path of ['/v1/conversions', `/v1/affiliates/${affiliate.id}/stats`]) {
      const response = await account.api.get<Problem>(path);
      expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
      expect(response.header('retry-after')).toBeDefined();
    }
  });
});
