import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toInstant, type EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { eventually, startStandalone, TestAccount, type Service } from '@refledger/testing';
import { openDeliveryStore } from '@refledger/delivery-store';
import { ops, withoutProgress } from './ops-process.js';

// nothing listens there, so nothing is delivered
const target_url = 'http://127.0.0.1:9/hook';

describe('verify --webhooks', () => {
  let dataDir: string;
  let service: Service;
  let endpoint: EndpointId;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'refledger-webhooks-'));
    service = await startStandalone({ dataDir });
    const account = await TestAccount.open(service);
    await account.affiliate();
    endpoint = (await account.subscribe(target_url, ['affiliate.created'])).id as EndpointId;
    await account.affiliate();
    await account.api.patch(`/v1/webhooks/${endpoint}`, { status: 'paused' });
    await account.affiliate();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  const verify = async (...args: readonly string[]) =>
    withoutProgress(await ops(dataDir, 'verify', '--webhooks', ...args));

  it('finds that every event has its deliveries, while the service runs', async () => {
    await eventually(async () =>
      expect(await verify()).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(
          /^2 deliveries to 1 endpoint \(2 held\), planned up to position \d+: matching the log\n$/,
        ) as string,
      }),
    );
  });

  it('names each event without a delivery', async () => {
    await service.stop();
    const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir });
    const unfinished = await store.unfinished(endpoint);
    const [first] = unfinished;
    // they look as if they had ended in 1970, so that nothing explains why they are gone
    const longAgo = toInstant(0);
    await store.cancelUnfinished(
      unfinished.map(({ id }) => id),
      'test',
      longAgo,
    );
    await store.expire(toInstant(1), 10);
    await store.close();
    const { code, out } = await verify('--show', '1');
    expect(code).toBe(1);
    expect(out).toMatch(
      new RegExp(
        `^ {2}${endpoint}, event ${first?.eventId} at position ${first?.position}: the event has no delivery\n {2}and 1 more\n0 deliveries to 0 endpoints, planned up to position \\d+: 2 differences\n$`,
      ),
    );
  });

  it('takes no projections, and cannot be combined with --ledger', async () => {
    for (const [args, problem] of [
      [['affiliates'], '--webhooks verifies deliveries, not projections'],
      [['--ledger'], "'--ledger' cannot be used with option '--webhooks'"],
    ] as const)
      expect(await verify(...args)).toMatchObject({
        code: 2,
        err: expect.stringContaining(problem) as string,
      });
  });
});
