/// <reference types="jest" />
import { request } from 'undici';
import {
  ApiClient,
  eventually,
  expectStatus,
  type ServiceFactory,
  startHookReceiver,
  TestAccount,
} from '@refledger/testing';

/** Tests the health checks, which need no key, and the metrics for operators. */
export const healthSuite = (service: ServiceFactory): void => {
  describe('health and metrics', () => {
    it('serves /health/live and /health/ready without a key', async () => {
      const api = await ApiClient.connect(await service());
      for (const path of ['/health/live', '/health/ready']) expectStatus(200, await api.get(path));
    });

    it("answers them on the operators' port too, with metrics in Prometheus format", async () => {
      const { opsUrl } = await service();
      if (opsUrl === undefined) return;
      for (const path of ['/health/live', '/health/ready'])
        expect([path, (await request(opsUrl + path)).statusCode]).toEqual([path, 200]);
      const { statusCode, headers, body } = await request(`${opsUrl}/metrics`);
      expect([statusCode, String(headers['content-type']).split(';')[0]]).toEqual([
        200,
        'text/plain',
      ]);
      const lines = (await body.text())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
      expect(lines.filter((line) => !/^[a-zA-Z_:][\w:]*(\{.*\})? \S+$/.test(line))).toEqual([]);
    });

    it('stays ready while sales come in without a pause', async () => {
      const { opsUrl, ...running } = await service();
      if (opsUrl === undefined) return;
      const account = await TestAccount.open(running);
      const { id } = await account.affiliate();
      const sell = async (): Promise<void> => {
        for (let n = 0; n < 50; n++) await account.conversion(id);
      };
      let isOver = false;
      const load = Promise.all(Array.from({ length: 8 }, sell)).finally(() => (isOver = true));
      const statuses = new Set<number>();
      while (!isOver) {
        const { statusCode, body } = await request(`${opsUrl}/health/ready`);
        await body.dump();
        statuses.add(statusCode);
      }
      await load;
      expect([...statuses]).toEqual([200]);
    });

    it('counts requests, appends, lag and deliveries', async () => {
      const running = await service();
      if (running.opsUrl === undefined) return;
      const metrics = async (): Promise<string> =>
        (await request(`${running.opsUrl}/metrics`)).body.text();
      const receiver = await startHookReceiver();
      try {
        const account = await TestAccount.open(running);
        const { id } = await account.affiliate();
        await account.subscribe(receiver.url('/metrics'), ['conversion.created']);
        await account.conversion(id);
        await receiver.waitFor('/metrics', 1);
        await eventually(async () => {
          const text = await metrics();
          for (const subject of [/request\w*_duration|http\w*_seconds/, /append/, /lag/, /deliver/])
            expect(text).toMatch(subject);
          expect(text).not.toContain(id);
        });
      } finally {
        await receiver.close();
      }
    });

    it("does not serve operators' paths on the public port", async () => {
      const api = await ApiClient.connect(await service());
      expect((await api.get('/metrics')).status).toBe(404);
    });
  });
};
