/// <reference types="jest" />
import {
  type DistributedService,
  eventually,
  expectStatus,
  type HookReceiver,
  type Replay,
  startHookReceiver,
  TestAccount,
  unusedPort,
} from '@refledger/testing';

/** Tests how deliveries and replays continue while their dispatcher lacks a read store. */
export const dispatcherWithoutReadStoreSuite = (start: () => Promise<DistributedService>): void =>
  describe('a webhook-dispatcher without its read store', () => {
    let service: DistributedService;
    let receiver: HookReceiver;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      service = await start();
    });
    afterAll(() => receiver.close());

    it('starts and delivers, while replays wait for one that has it', async () => {
      const { account, affiliate } = await TestAccount.withAffiliate(service);
      await account.conversion(affiliate.id);
      const complete = service.roles.find(({ role }) => role === 'webhook-dispatcher');
      await complete?.kill();
      const without = await service.startAnother('webhook-dispatcher', {
        READ_STORE_URL: `mongodb://127.0.0.1:${await unusedPort()}/?serverSelectionTimeoutMS=200`,
        DELIVERY_STORE_URL: service.engines[1]?.url ?? '',
      });

      const { id } = await account.subscribe(receiver.url('/hook'), ['conversion.created']);
      const path = `/v1/webhooks/${id}/replays`;
      const replay = expectStatus(202, await account.api.post<Replay>(path, { since: '0' }));
      await account.conversion(affiliate.id);
      await receiver.waitFor('/hook', 1);
      await eventually(() => expect(without.logs()).toContain('planning a replay'), {
        timeoutMs: 60_000,
      });
      const read = () => account.api.get<Replay>(`${path}/${replay.id}`);
      expect(expectStatus(200, await read())).toEqual(replay);

      await without.leave();
      await complete?.start();
      await eventually(
        async () => expect((await read()).body).toMatchObject({ status: 'finished', succeeded: 1 }),
        { timeoutMs: 60_000 },
      );
      expect(receiver.hooks('/hook')).toHaveLength(2);
    });
  });
