/// <reference types="jest" />
import {
  conversionBody,
  eventually,
  type Service,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { RawConnection } from '../../raw-connection.js';

const [clients, pipelined] = [12, 300];

/** Tests clients that request much more than they ever read. */
export const slowReadersSuite = (service: ServiceFactory): void => {
  it('clients that pipeline requests for a large list and never read are disconnected, while others are served', async () => {
    const running = await service();
    const account = await TestAccount.open(running);
    const affiliate = await account.affiliate();
    const metadata = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`k${n}`, 'x'.repeat(400)]),
    );
    await Promise.all(
      Array.from({ length: 100 }, () =>
        account.api.post('/v1/conversions', conversionBody(affiliate.id, { metadata })),
      ),
    );
    await eventually(async () => expect(await account.all('/v1/conversions')).toHaveLength(100));

    const request =
      `GET /v1/conversions?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.api.key}\r\n\r\n`.repeat(
        pipelined,
      );
    const deaf = await Promise.all(
      Array.from({ length: clients }, () => RawConnection.open(running.baseUrl, { reads: false })),
    );
    try {
      for (const connection of deaf) connection.write(request);
      await account.affiliate();
      await eventually(async () => expect(await cutOff(running)).toBe(clients), {
        timeoutMs: 60_000,
        intervalMs: 200,
      });
    } finally {
      deaf.forEach((connection) => connection.drop());
    }
  });
};

const cutOff = async (running: Service): Promise<number> => {
  const text = await (await fetch(`${running.opsUrl}/metrics`)).text();
  return Number(/^refledger_http_slow_client_disconnects_total (\d+)$/m.exec(text)?.[1] ?? 0);
};
