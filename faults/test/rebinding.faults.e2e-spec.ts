import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import {
  eventually,
  startStandalone,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { openDeliveryStore } from '@refledger/delivery-store';

/**
 * The real service with a name server that lies (src/preloads/rebound-names.ts). A preload does
 * this, because the service has no setting for another name server.
 */
describe('a name with a public address during the check and a local one during the connection', () => {
  let directory: string;
  let service: StandaloneService;
  let inner: Server;
  let connections = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-names-'));
    inner = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const preload = fileURLToPath(new URL('../dist/preloads/rebound-names.js', import.meta.url));
    service = await startStandalone({
      dataDir: join(directory, 'data'),
      env: {
        NODE_OPTIONS: `--import=${preload}`,
        FAULTS_NAMES: join(directory, 'names'),
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false',
        WEBHOOK_TIMEOUT: '30s',
        WEBHOOK_RETRY_SCHEDULE: '100ms',
      },
    });
  });
  afterAll(async () => {
    inner.close();
    await service.kill();
    await rm(directory, { recursive: true, force: true });
  });

  it('is looked up once per attempt, and the connection goes only to the checked address', async () => {
    const account = await TestAccount.open(service);
    const { port } = inner.address() as AddressInfo;
    const endpoint = await account.subscribe(`http://hooks.rebound.test:${port}/`, [
      'affiliate.created',
    ]);
    await account.affiliate();
    await eventually(
      async () =>
        expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
          /^refledger_webhook_deliveries\{status="failed"\} 1$/m,
        ),
      { timeoutMs: 20_000 },
    );
    await service.kill();

    expect(connections).toBe(0);
    expect((await readFile(join(directory, 'names'), 'utf8')).trim().split('\n')).toEqual([
      'hooks.rebound.test 192.31.196.1',
      'hooks.rebound.test refused at 192.31.196.1',
      'hooks.rebound.test 127.0.0.1',
    ]);
    const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
      dataDir: join(directory, 'data'),
    });
    const [delivery] = await store.list({ endpointId: endpoint.id as EndpointId, limit: 1 });
    await store.close();
    expect(delivery?.attempts).toMatchObject([
      { outcome: 'connection', status: null, error: 'connection refused' },
      {
        outcome: 'target_not_allowed',
        status: null,
        error: 'address 127.0.0.1 is not allowed (loopback)',
      },
    ]);
  });
});
