import {
  eventually,
  type AffiliateStats,
  type Conversion,
  type DistributedService,
  type HookReceiver,
  type TestAccount,
} from '@refledger/testing';
import { publishedSales } from './published-sales.js';

/** Where the sales of one affiliate can be seen. */
export interface Everywhere {
  readonly account: TestAccount;
  readonly affiliate: string;
  readonly receiver: HookReceiver;
  readonly service: DistributedService;
  readonly eventLogUrl: string;
}

/**
 * Expects exactly these sales in lists, in statistics, at the endpoint `/ledger` and on the bus.
 */
export const expectEverywhere = async (
  sales: readonly Conversion[],
  { account, affiliate, receiver, service, eventLogUrl }: Everywhere,
): Promise<void> => {
  const wanted = sales.map(({ id }) => id).toSorted();
  await eventually(
    async () =>
      expect(
        (await account.all<Conversion>('/v1/conversions')).map(({ id }) => id).toSorted(),
      ).toEqual(wanted),
    { timeoutMs: 60_000 },
  );
  await eventually(async () => {
    const { body } = await account.api.get<AffiliateStats>(`/v1/affiliates/${affiliate}/stats`);
    expect([body.conversions.total, body.currencies[0]?.sale_amount.total]).toEqual([
      sales.length,
      sales.reduce((sum, { sale_amount }) => sum + sale_amount, 0),
    ]);
  });

  const hooks = await receiver.waitFor(
    '/ledger',
    (all) => new Set(all.map(({ envelope }) => envelope.data.id)).size >= wanted.length,
    60_000,
  );
  expect([...new Set(hooks.map(({ envelope }) => envelope.data.id))].toSorted()).toEqual(wanted);
  expect(
    new Set(
      hooks.map(({ headers, bytes }) => `${String(headers['webhook-id'])} ${bytes.toString()}`),
    ).size,
  ).toBe(wanted.length);

  expect((await publishedSales(eventLogUrl, service, wanted.length)).toSorted()).toEqual(wanted);
};
