import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  count,
  conversionBody,
  eventually,
  expectStatus,
  startStandalone,
  TestAccount,
  type Affiliate,
  type Endpoint,
  type Envelope,
  type StandaloneService,
} from '@refledger/testing';

const total = count(1_000, 10_000);

describe('an endpoint that is paused for a long time', () => {
  let service: StandaloneService;
  let receiver: Server;
  let url: string;
  let account: TestAccount;
  let affiliate: Affiliate;
  /** The requests that arrived, in their order. */
  const arrived: { readonly id: string; readonly position: number }[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        // Decoding boundary: the black-box suites check what a webhook contains.
        const { id, position } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
        arrived.push({ id, position: Number(position) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    service = await startStandalone({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
    ({ account, affiliate } = await TestAccount.withAffiliate(service));
  });
  afterAll(async () => {
    await service.kill();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  const sell = async (count: number): Promise<void> => {
    let left = count;
    const seller = async (): Promise<void> => {
      while (left-- > 0)
        expectStatus(201, await account.api.post('/v1/conversions', conversionBody(affiliate.id)));
    };
    await Promise.all(Array.from({ length: 32 }, seller));
  };
  const change = async (id: string, body: object): Promise<Endpoint> =>
    expectStatus(200, await account.api.patch<Endpoint>(`/v1/webhooks/${id}`, body));
  const unfinished = (id: string, wanted: Partial<Endpoint>): Promise<void> =>
    eventually(
      async () => {
        const response = await account.api.get<Endpoint>(`/v1/webhooks/${id}`);
        expect(expectStatus(200, response)).toMatchObject(wanted);
      },
      { timeoutMs: 240_000, intervalMs: 100 },
    );

  it('gets everything oldest first, each event once, although the service is killed before and right after it is enabled', async () => {
    const { id } = await account.subscribe(url, ['conversion.created'], { max_per_second: 1_000 });
    await change(id, { status: 'paused' });
    await sell(total);
    await unfinished(id, { waiting: total, held: total });
    await service.kill();
    await service.start();
    expect(arrived).toEqual([]);
    await change(id, { status: 'enabled' });
    await service.kill();
    await service.start();
    await sell(10);
    await service.caughtUp();
    await unfinished(id, { waiting: 0, held: 0 });

    // what was in flight during the kill may have come twice
    const first = [...new Map(arrived.map((one) => [one.id, one])).values()];
    expect(first).toHaveLength(total + 10);
    const positions = first.map(({ position }) => position);
    const last = positions.toSorted((a, b) => a - b)[total - 1] ?? 0;
    // the new ones go before held ones
    const held = positions.filter((position) => position <= last);
    // a second's worth may be in flight or prefetched
    for (const [n, position] of held.slice(0, -1_000).entries())
      expect(held[n + 1_000]).toBeGreaterThan(position);
  });
});
