import { setTimeout as sleep } from 'node:timers/promises';
import {
  count,
  conversionBody,
  expectStatus,
  Random,
  scaledTimeout,
  startStandalone,
  TestAccount,
  testSeed,
  uniqueText,
  type Affiliate,
  type ApiResponse,
  type Conversion,
  type StandaloneService,
} from '@refledger/testing';

/** For a longer run: FIRST_SALE_ROUNDS=50 npx jest test/first-sales */
const rounds = Number(process.env['FIRST_SALE_ROUNDS'] ?? count(4, 10));
const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first' };

/** An approved affiliate whose sales are approved immediately, and earn only if they are first. */
const opened = async (
  service: StandaloneService,
): Promise<{ readonly account: TestAccount; readonly affiliate: Affiliate }> => {
  const account = await TestAccount.open(service);
  const program = await account.program({ terms, conversion_approval: 'automatic' });
  const affiliate = await account.affiliate({ program_id: program.id });
  return { account, affiliate: await account.update(affiliate, { status: 'approved' }) };
};

const whyOf = (response: ApiResponse<Conversion> | undefined): string | undefined =>
  response?.body.commission.why;

describe(`a hundred first sales at once, killed ${rounds} times in the middle`, () => {
  let service: StandaloneService;
  let account: TestAccount;
  let affiliate: Affiliate;
  beforeAll(async () => {
    service = await startStandalone({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
    ({ account, affiliate } = await opened(service));
  });
  afterAll(() => service.stop());

  it(
    'have exactly one first sale each time',
    async () => {
      const random = new Random(testSeed);
      let answered = 0;
      for (let round = 1; round <= rounds; round++) {
        const customer_id = uniqueText('customer');
        const bodies = Array.from({ length: 100 }, () =>
          conversionBody(affiliate.id, {
            customer_id,
            external_transaction_id: uniqueText('sale'),
          }),
        );
        const sell = (body: object) => account.api.post<Conversion>('/v1/conversions', body);
        const sent = bodies.map((body) => sell(body).catch(() => undefined));
        // in every other round at least one has a response
        await (round % 2 === 0 ? Promise.any(sent) : sleep(random.intBelow(100)));
        await service.restart('SIGKILL');
        const before = await Promise.all(sent);
        answered += before.filter((response) => response !== undefined).length;

        const after = await Promise.all(bodies.map(sell));
        expect(after.map(whyOf).toSorted()).toEqual([
          'applied',
          ...Array<string>(99).fill('not_first'),
        ]);
        expect(new Set(after.map(({ body }) => body.status))).toEqual(new Set(['approved']));
        for (const [n, response] of before.entries())
          if (response !== undefined) {
            expect(expectStatus(201, response)).toEqual(after[n]?.body);
            expect(after[n]?.status).toBe(200);
          }
      }
      // rounds in which everything or nothing was answered would prove little
      expect(answered).toBeGreaterThan(0);
      expect(answered).toBeLessThan(rounds * 100);
    },
    scaledTimeout(20_000) * (2 + rounds),
  );
});
