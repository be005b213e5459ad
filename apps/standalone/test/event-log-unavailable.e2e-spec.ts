import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKeysOfLog } from '@refledger/application';
import { embeddedUrls } from '@refledger/engines';
import { openReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import {
  ApiClient,
  conversionBody,
  eventually,
  expectStatus,
  scaledTimeout,
  TestAccount,
} from '@refledger/testing';
import { startDisposableEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { openEventLog } from '@refledger/event-log';
import { startGateway, type Gateway } from '@refledger/gateway';
import { Health, newLogger, newMetrics, readConfig, startBatches } from '@refledger/platform';
import { startProjector } from '@refledger/projector';

const adminKey = randomBytes(24).toString('hex');
const config = readConfig({
  BOOTSTRAP_API_KEY: adminKey,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  PORT: '0',
  RATE_LIMIT_PER_MINUTE: '0',
});
const logger = newLogger('silent', 'test');

/**
 * Gateways over real sockets with their log in EventStoreDB. The engine of the read models makes no
 * difference here.
 */
describe('gateways on EventStoreDB', () => {
  let directory: string;
  let server: TestServer;
  const closing: (() => Promise<unknown>)[] = [];
  const onServer = () =>
    ({ dataDir: directory, mode: 'write', deadlineMs: scaledTimeout(2_000) }) as const;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-'));
    server = await startDisposableEventStoreDb();
    const log = await openEventLog(server.url, onServer());
    const store = await openReadStore(embeddedUrls.READ_STORE_URL, {
      dataDir: directory,
      mode: 'write',
    });
    const projector = await startProjector({
      log,
      store,
      logger,
      startBatches,
      makeTerms: () => Promise.resolve([]),
      onStatus: () => undefined,
    });
    closing.push(
      () => projector.close(),
      () => store.close(),
      () => log.close(),
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const gateway = async (): Promise<Gateway> => {
    const log = await openEventLog(server.url, onServer());
    const store = await openReadStore(embeddedUrls.READ_STORE_URL, {
      dataDir: directory,
      mode: 'read',
    });
    const keyStore = await openKeysOfLog(log, {
      url: embeddedUrls.KEY_STORE_URL,
      dataDir: directory,
    });
    const started = await startGateway({
      config,
      log,
      store,
      keyStore,
      logger,
      secretBox: openSecretBox(config.secretsKeys ?? []),
      metrics: newMetrics(),
      health: new Health([]),
      loadOrCreateFirstKey: () => Promise.reject(new Error('the first key is configured')),
    });
    closing.unshift(() =>
      started
        .close()
        .then(() => keyStore.close())
        .then(() => store.close())
        .then(() => log.close()),
    );
    return started;
  };

  it('return 503 with Retry-After while the server is unavailable, keep reading, and recover by themselves with each acknowledged write stored once', async () => {
    const service = { baseUrl: (await gateway()).url, adminKey };
    const [account, another] = [await TestAccount.open(service), await TestAccount.open(service)];
    await another.affiliate();
    await eventually(async () => expect(await another.all('/v1/affiliates')).toHaveLength(1));
    const { id } = await account.affiliate();
    const acknowledged = new Set<string>();
    const statuses = new Set<number>();
    const retryAfter = new Set<string | undefined>();
    let over = false;
    const shops = Array.from({ length: 8 }, async (_, shop) => {
      for (let n = 0; !over; n += 1) {
        const key = `sale-${shop}-${n}`;
        // Like a client that was asked to retry: send the same sale until it is acknowledged.
        for (;;) {
          const response = await account.api.post<{ id: string }>(
            '/v1/conversions',
            conversionBody(id, { external_transaction_id: key }),
          );
          statuses.add(response.status);
          if (response.status === 503) {
            retryAfter.add(response.header('retry-after'));
            await sleep(100);
          } else {
            acknowledged.add(response.body.id);
            break;
          }
        }
      }
    });
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(20));
    await server.kill();
    await eventually(() => expect(statuses).toContain(503));
    expect(await another.all('/v1/affiliates')).toHaveLength(1);
    await server.start();
    const before = acknowledged.size;
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(before + 20), {
      timeoutMs: 20_000,
    });
    over = true;
    await Promise.all(shops);

    expect([...retryAfter]).toEqual(['1']);
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    await eventually(
      async () => expect(await account.all('/v1/conversions')).toHaveLength(acknowledged.size),
      { timeoutMs: 20_000 },
    );
    expect(
      new Set(
        (await account.all<{ id: string }>('/v1/conversions')).map((conversion) => conversion.id),
      ),
    ).toEqual(acknowledged);
  });

  it('follow the keys through a restart, and reject a key that another gateway revoked', async () => {
    const [here, there] = [(await gateway()).url, (await gateway()).url];
    const account = await TestAccount.open({ baseUrl: there, adminKey });
    const { id, api_key } = expectStatus(
      201,
      await account.api.post<{ id: string; api_key: string }>('/v1/api-keys', {
        name: 'k',
        scope: 'read',
      }),
    );
    const reader = (await ApiClient.connect({ baseUrl: here })).withKey(api_key);
    expect((await reader.get('/v1/affiliates')).status).toBe(200);
    await server.restart();

    await eventually(async () =>
      expect((await account.api.delete(`/v1/api-keys/${id}`)).status).toBe(204),
    );

    await eventually(async () => expect((await reader.get('/v1/affiliates')).status).toBe(401));
  });
});
