/// <reference types="jest" />
import {
  affiliateBody,
  eventually,
  scaledTimeout,
  type Service,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { RawConnection } from '../../raw-connection.js';

/**
 * Tests clients that send a request byte by byte and never finish it: each is cut off in time,
 * however steadily it sends, and takes nothing from others.
 */
export const slowRequestsSuite = (service: ServiceFactory): void => {
  describe('slow requests', () => {
    it(
      'a request with slow headers or a slow body is eventually rejected, and 1,500 of them block no other client',
      async () => {
        const running: Service = await service();
        const account = await TestAccount.open(running);
        const authorized = `POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.api.key}\r\n`;
        const begun = [
          `${authorized}X-Slow: `,
          `${authorized}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"`,
        ];
        const connections = await Promise.all(
          Array.from({ length: 1_500 }, () => RawConnection.open(running.baseUrl)),
        );
        for (const [n, connection] of connections.entries()) connection.write(begun[n % 2] ?? '');
        const silent = await RawConnection.open(running.baseUrl);
        const dripping = setInterval(
          () => connections.forEach((connection) => connection.write('x')),
          1_000,
        );

        const served: number[] = [];
        const closed = Promise.all(
          [silent, ...connections].map((connection) => connection.closed(scaledTimeout(60_000))),
        );
        let over = false;
        void closed.then(
          () => (over = true),
          () => (over = true),
        );
        while (!over) {
          served.push((await account.api.post('/v1/affiliates', affiliateBody())).status);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        clearInterval(dripping);
        await closed;
        expect(new Set(served)).toEqual(new Set([201]));
        const responses = connections.flatMap(({ statuses }) => statuses);
        expect(new Set(responses)).toEqual(new Set([400]));
        expect(silent.received).toBe('');
        expect(await account.all('/v1/affiliates')).toHaveLength(served.length);
      },
      scaledTimeout(90_000),
    );

    it('more endless large bodies than fit in memory: the longest-running one is rejected with 503 and Retry-After, and all others are served', async () => {
      const running: Service = await service();
      const account = await TestAccount.open(running);
      const unended = `POST /v1/affiliates HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.api.key}\r\nContent-Type: application/json\r\nContent-Length: 65000\r\n\r\n${'x'.repeat(64_000)}`;
      const connections = await Promise.all(
        Array.from({ length: 1_200 }, () => RawConnection.open(running.baseUrl)),
      );
      for (const connection of connections) connection.write(unended);
      // 64 MiB hold 1,048 of these bodies
      const refused = await eventually(() => {
        const answered = connections.filter(({ received }) => received !== '');
        expect(answered.length).toBeGreaterThan(1_200 - 1_048);
        return answered;
      });
      await account.affiliate();
      expect(new Set(refused.flatMap(({ statuses }) => statuses))).toEqual(new Set([503]));
      for (const { received } of refused) expect(received).toMatch(/\r\nretry-after: 1\r\n/i);
      expect(connections.filter(({ isClosed }) => !isClosed).length).toBeGreaterThan(900);
      connections.forEach((connection) => connection.drop());
    });
  });
};
