import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndpointId } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import {
  eventually,
  startHookReceiver,
  startStandalone,
  TestAccount,
  type Affiliate,
  type HookReceiver,
  type StandaloneService,
} from '@refledger/testing';
import { openDeliveryStore, type Delivery } from '@refledger/delivery-store';
import { replaceDatabase } from '../src/copies.js';
import { readinessOf } from '../src/opened.js';
import { resumeDispatcher } from './resume-dispatcher.js';

/**
 * An old log restored beside newer deliveries: the waiting deliveries are of events before and
 * after the log's end.
 */
describe('waiting deliveries whose events are lost', () => {
  let directory: string;
  let service: StandaloneService;
  let receiver: HookReceiver;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-lost-'));
    receiver = await startHookReceiver();
    service = await startStandalone({
      dataDir: join(directory, 'data'),
      env: { WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 1_000 }, () => '500ms').join(',') },
    });
  });
  afterAll(async () => {
    await service.kill();
    await receiver.close();
    await rm(directory, { recursive: true, force: true });
  });

  const deliveriesOf = async (endpoint: EndpointId): Promise<readonly Delivery[]> => {
    const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
      dataDir: join(directory, 'data'),
    });
    return store.list({ endpointId: endpoint, limit: 100 }).finally(() => store.close());
  };

  /** Waits until the deliveries of this many events have been attempted. */
  const attempted = (count: number) =>
    receiver.waitFor(
      '/hook',
      (hooks) => new Set(hooks.map(({ envelope }) => envelope.id)).size === count,
    );
  /** Only the deliveries of lost events were canceled. */
  const expectCanceled = async (
    endpoint: EndpointId,
    lost: readonly Affiliate[],
  ): Promise<void> => {
    const canceled = (await deliveriesOf(endpoint)).filter(({ status }) => status === 'canceled');
    expect(canceled.map(({ objectId }) => objectId).toSorted()).toEqual(
      lost.map(({ id }) => id).toSorted(),
    );
    expect(new Set(canceled.map(({ reason }) => reason))).toEqual(
      new Set(['its event is no longer in the log']),
    );
    expect(service.logs()).toContain(
      'canceled 4 deliveries of events that are no longer in the log',
    );
  };

  it('are canceled with a reason once an operator decides to continue, and those of existing events are sent', async () => {
    const account = await TestAccount.open(service);
    receiver.script('/hook', () => ({ status: 503 }));
    const { id: endpoint } = await account.subscribe(receiver.url('/hook'), ['affiliate.created']);
    const held = await Promise.all([1, 2, 3].map(() => account.affiliate()));
    await attempted(3);
    await service.kill();
    await mkdir(join(directory, 'old'));
    await replaceDatabase(join(directory, 'old'), 'events', join(directory, 'data'));
    await service.start();
    const lost = await Promise.all([1, 2, 3, 4].map(() => account.affiliate()));
    await attempted(7);
    await service.kill();
    await receiver.settled();
    await replaceDatabase(join(directory, 'data'), 'events', join(directory, 'old'));
    await service.start();

    receiver.script('/hook', () => ({ status: 200 }));
    const before = receiver.hooks('/hook').length;
    await eventually(async () =>
      expect((await readinessOf(service)).detail).toContain('ops resume webhook-dispatcher'),
    );
    // by now other events have the positions of the lost ones; this one is not sent
    await account.affiliate();
    await resumeDispatcher(join(directory, 'data'));
    await eventually(async () =>
      expect((await fetch(`${service.opsUrl}/health/ready`)).status).toBe(200),
    );
    const sent = await account.affiliate();
    await receiver.waitFor('/hook', (hooks) =>
      [sent, ...held].every(({ id }) =>
        hooks.slice(before).some(({ envelope }) => envelope.data.id === id),
      ),
    );
    await eventually(async () =>
      expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
        /^refledger_webhook_deliveries\{status="succeeded"\} 4$/m,
      ),
    );
    await service.kill();

    expect(
      receiver
        .hooks('/hook')
        .slice(before)
        .map(({ envelope }) => envelope.data.id)
        .toSorted(),
    ).toEqual([sent, ...held].map(({ id }) => id).toSorted());
    await expectCanceled(endpoint as EndpointId, lost);
  });
});
