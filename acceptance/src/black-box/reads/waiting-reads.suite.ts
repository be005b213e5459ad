/// <reference types="jest" />
import { RawConnection } from '../../raw-connection.js';
import {
  eventually,
  expectStatus,
  type Page,
  type Service,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';

/**
 * The number of connections, and by how many it exceeds the 1,024 reads that a gateway works on at
 * a time.
 */
const [connections, beyond] = [1_100, 76];
const farAhead = '9007199254740991';

/**
 * Tests that reads which wait for a position leave room for others, on a service without a rate
 * limit.
 */
export const waitingReadsSuite = (service: ServiceFactory): void => {
  describe('reads that wait for a position', () => {
    const opened: RawConnection[] = [];
    afterAll(() => opened.forEach((connection) => connection.drop()));

    const open = async (running: Service): Promise<void> => {
      while (opened.length < connections) {
        const some = Array.from({ length: 100 }, () => RawConnection.open(running.baseUrl));
        opened.push(...(await Promise.all(some)));
      }
    };

    it("do not block other reads, and are rejected immediately beyond their key's share", async () => {
      const running = await service();
      const [account, another] = [await TestAccount.open(running), await TestAccount.open(running)];
      const reader = await account.withScope('read');
      const requestOf = (path: string): string =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${reader.key}\r\nRefledger-Min-Position: ${farAhead}\r\n\r\n`;

      await open(running);
      opened.forEach((connection, n) =>
        connection.write(requestOf(n % 5 === 0 ? '/v1/conversions' : '/v1/account')),
      );
      const responses = (): string[] =>
        opened.flatMap(({ received }) => (received.endsWith('}') ? [received] : []));
      await eventually(() => expect(responses().length).toBeGreaterThanOrEqual(beyond));

      for (let n = 0; n < 20; n++) {
        for (const api of [another.api, account.api])
          expectStatus(200, await api.get<Page<unknown>>('/v1/conversions'));
      }
      const others = responses().filter(
        (response) => !/^HTTP\/1.1 503 [^]*"code":"read_model_behind"/.test(response),
      );
      expect(others).toEqual([]);
    });
  });
};
