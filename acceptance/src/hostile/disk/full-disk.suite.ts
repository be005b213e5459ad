/// <reference types="jest" />
import { expectProblem } from '../../black-box/expect-problem.js';
import {
  type Affiliate,
  type ApiResponse,
  type ApiClient,
  type Conversion,
  conversionBody,
  eventually,
  expectStatus,
  type HookReceiver,
  type Service,
  startHookReceiver,
  TestAccount,
} from '@refledger/testing';
import { mountSmallDisk } from './small-disk.js';

export const fullDiskSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_RETRY_SCHEDULE: '200ms,200ms,200ms,200ms,200ms,500ms,500ms,1s,1s,2s,2s,5s',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
};

/**
 * Tests the service on a full disk. `start` starts a service with all its data in the given
 * directory.
 */
export const fullDiskSuite = (start: (dataDir: string) => Promise<Service>): void => {
  const disk = mountSmallDisk(48);
  if (disk === undefined)
    console.warn(
      'SKIPPED: a full disk is not tested, since this user may not mount a tmpfs. Run the tests as root on Linux to have it tested.',
    );
  (disk === undefined ? describe.skip : describe)('a full disk', () => {
    let service: Service;
    let receiver: HookReceiver;
    let account: TestAccount;
    let affiliate: Affiliate;
    const acknowledged: string[] = [];
    beforeAll(async () => {
      service = await start(disk?.path ?? '');
      receiver = await startHookReceiver();
      account = await TestAccount.open(service);
      affiliate = await account.affiliate();
      await account.subscribe(receiver.url('/hook'), ['conversion.created']);
    });
    afterAll(async () => {
      disk?.free();
      await service
        .stop()
        .finally(() => receiver.close())
        .finally(() => disk?.remove());
    });

    const record = async (api: ApiClient = account.api): Promise<ApiResponse<Conversion>> => {
      const response = await api.post<Conversion>(
        '/v1/conversions',
        conversionBody(affiliate.id, {
          metadata: Object.fromEntries(
            Array.from({ length: 8 }, (_, n) => [`k${n}`, 'x'.repeat(400)]),
          ),
        }),
      );
      if (response.status === 201) acknowledged.push(response.body.id);
      return response;
    };
    /**
     * Writes until nothing is accepted any more. Every refusal must be a 503 in the shape of the
     * contract.
     */
    const untilRefused = async (): Promise<void> => {
      for (let refusals = 0; refusals < 20;) {
        const responses = await Promise.all(Array.from({ length: 8 }, () => record()));
        for (const response of responses.filter(({ status }) => status !== 201))
          expectProblem(response, 503, 'unavailable');
        refusals = responses.every(({ status }) => status === 503) ? refusals + 1 : 0;
      }
    };
    const expectReads = async (): Promise<void> => {
      expectStatus(200, await account.api.get(`/v1/conversions/${acknowledged[0]}`));
      expectStatus(200, await account.api.get('/v1/conversions'));
      expectStatus(200, await account.api.get(`/v1/affiliates/${affiliate.id}/stats`));
      expectStatus(200, await account.api.withKey(undefined).get('/health/live'));
    };
    const expectRecovery = async (): Promise<void> => {
      await eventually(async () => expectStatus(201, await record()), { timeoutMs: 20_000 });
      await eventually(
        async () =>
          expect(
            (await account.all<Conversion>('/v1/conversions')).map(({ id }) => id).toSorted(),
          ).toEqual(acknowledged.toSorted()),
        { timeoutMs: 20_000, intervalMs: 200 },
      );
      const delivered = await receiver.waitFor(
        '/hook',
        (hooks) =>
          new Set(hooks.map(({ envelope }) => envelope.data.id)).size >= acknowledged.length,
        60_000,
      );
      expect([...new Set(delivered.map(({ envelope }) => envelope.data.id))].toSorted()).toEqual(
        acknowledged.toSorted(),
      );
      await eventually(
        async () => expectStatus(200, await account.api.withKey(undefined).get('/health/ready')),
        { timeoutMs: 20_000 },
      );
    };

    it.each(['once', 'and once again'])(
      '%s: writes return 503, reads continue, nothing acknowledged is lost, and it recovers by itself',
      async () => {
        for (let n = 0; n < 20; n++) expectStatus(201, await record());
        disk?.fill();
        await untilRefused();
        await expectReads();
        disk?.free();
        await expectRecovery();
      },
    );

    it('keeps acknowledged writes after a restart', async () => {
      await service.restart();
      expect(
        (await account.all<Conversion>('/v1/conversions')).map(({ id }) => id).toSorted(),
      ).toEqual(acknowledged.toSorted());
    });
  });
};
