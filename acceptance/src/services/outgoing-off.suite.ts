/// <reference types="jest" />
import {
  ApiClient,
  type Delivery,
  type DistributedService,
  eventually,
  expectStatus,
  type HookReceiver,
  type Page,
  type Replay,
  startHookReceiver,
  TestAccount,
} from '@refledger/testing';

/** Tests a gateway and a webhook-dispatcher with `OUTGOING=off`, and then without it. */
export const outgoingOffSuite = (start: () => Promise<DistributedService>): void =>
  describe('services with OUTGOING=off', () => {
    let service: DistributedService;
    let receiver: HookReceiver;
    beforeAll(async () => {
      receiver = await startHookReceiver();
      service = await start();
    });
    afterAll(() => receiver.close());

    it('plan deliveries and send nothing, until a dispatcher without it takes over', async () => {
      const { account, affiliate } = await TestAccount.withAffiliate(service);
      const { id } = await account.subscribe(receiver.url('/off'), ['conversion.created']);
      const sending = service.roles.find(({ role }) => role === 'webhook-dispatcher');
      await sending?.kill();
      const off = { OUTGOING: 'off' };
      const dispatcher = await service.startAnother('webhook-dispatcher', off);
      const gateway = await service.startAnother('gateway', off);
      const api = await ApiClient.connect(gateway, account.api.key);

      await account.conversion(affiliate.id);
      const list = `/v1/webhooks/${id}/deliveries`;
      await eventually(
        async () =>
          expect((await api.get<Page<Delivery>>(list)).body.data).toMatchObject([
            { status: 'waiting', attempt_count: 0 },
          ]),
        { timeoutMs: 60_000 },
      );
      const test = expectStatus(503, await api.post(`/v1/webhooks/${id}/test`, {}));
      expect(test).toMatchObject({
        code: 'unavailable',
        detail: expect.stringMatching(/^This service sends nothing: OUTGOING is off/) as string,
      });
      const replays = `/v1/webhooks/${id}/replays`;
      const asked = { since: '0', only: 'all' };
      const replay = expectStatus(202, await api.post<Replay>(replays, asked));
      await eventually(async () => {
        const ready = await fetch(`${dispatcher.opsUrl}/health/ready`);
        expect([ready.status, await ready.json()]).toMatchObject([
          200,
          {
            parts: [{ detail: expect.stringMatching(/^sends nothing: OUTGOING is off/) as string }],
          },
        ]);
      });
      expect(expectStatus(200, await api.get<Replay>(`${replays}/${replay.id}`))).toEqual(replay);
      expect(receiver.hooks('/off')).toEqual([]);

      await dispatcher.leave();
      await gateway.leave();
      await sending?.start();
      await receiver.waitFor('/off', 2, 60_000);
    });
  });
