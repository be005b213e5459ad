import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversionBody,
  expectStatus,
  scaledTimeout,
  startStandalone,
  TestAccount,
  uniqueText,
  type Affiliate,
  type ApiResponse,
  type Conversion,
  type StandaloneService,
} from '@refledger/testing';
import { HeldService } from './held-service.js';

/** For a longer run: FIRST_SALE_ROUNDS=50 npx jest test/first-sales */
const rounds = Number(process.env['FIRST_SALE_ROUNDS'] ?? 10);
const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first' };

/** An approved affiliate whose sales are approved at once, and earn only if they are first. */
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

describe('a writer held between the two appends of a first sale', () => {
  let held: HeldService;
  let account: TestAccount;
  let affiliate: Affiliate;
  beforeAll(async () => {
    held = await HeldService.start();
    ({ account, affiliate } = await opened(held.service));
  });
  afterAll(() => held.stop());

  const sell = (over: object, headers: Record<string, string> = {}) =>
    account.api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id, over), {
      headers,
    });
  const salesTo = (customer_id: string): Promise<Conversion[]> =>
    account.all('/v1/conversions', { customer_id, sort: 'created_at' });

  it('stays first: others complete its sale, and count as later ones', async () => {
    const customer_id = uniqueText('customer');
    const { response, release } = await held.hold((headers) => sell({ customer_id }, headers));
    const rivals = await Promise.all([1, 2, 3].map(() => sell({ customer_id })));
    expect(rivals.map(whyOf)).toEqual(Array<string>(3).fill('not_first'));
    await release();
    expect((await response)?.status).toBe(201);
    expect(whyOf(await response)).toBe('applied');
    const sales = await salesTo(customer_id);
    expect(sales).toHaveLength(4);
    expect(sales).toContainEqual((await response)?.body);
  });

  it('whose transaction was recorded for another customer is refused, and blocks nobody', async () => {
    const [customer_id, other] = [uniqueText('customer'), uniqueText('customer')];
    const external_transaction_id = uniqueText('sale');
    const { response, release } = await held.hold((headers) =>
      sell({ customer_id, external_transaction_id }, headers),
    );
    const recorded = await sell({ customer_id: other, external_transaction_id });
    expect([recorded.status, whyOf(recorded)]).toEqual([201, 'applied']);
    await release();
    expect((await response)?.status).toBe(409);
    for (const why of ['applied', 'not_first'])
      expect(whyOf(await sell({ customer_id }))).toBe(why);
    expect(await salesTo(other)).toHaveLength(1);
  });

  it.each(['another sale', 'its own repetition'])(
    'and killed there: %s finishes it, once and as it was decided',
    async (who) => {
      const customer_id = uniqueText('customer');
      const { response } = await held.hold((headers) => sell({ customer_id }, headers));
      await held.service.restart('SIGKILL');
      expect(await response).toBeUndefined();
      expect(await salesTo(customer_id)).toEqual([]);

      const rival = who === 'its own repetition' ? undefined : await sell({ customer_id });
      if (rival !== undefined) expect([rival.status, whyOf(rival)]).toEqual([201, 'not_first']);
      const repeated = await sell({ customer_id }, held.key);
      expect(repeated.status).toBe(200);
      expect(repeated.body).toMatchObject({
        status: 'approved',
        commission: { why: 'applied' },
        revision: 1,
      });
      expect(await salesTo(customer_id)).toHaveLength(rival === undefined ? 1 : 2);
    },
  );

  it('in a process that is suspended and resumes, with waiting rivals: it is first', async () => {
    const customer_id = uniqueText('customer');
    const { response, release } = await held.hold((headers) => sell({ customer_id }, headers));
    held.service.signal('SIGSTOP');
    const rivals = [1, 2, 3].map(() => sell({ customer_id }));
    await release();
    held.service.signal('SIGCONT');
    const all = await Promise.all([response, ...rivals]);
    expect(all.map(whyOf)).toEqual(['applied', 'not_first', 'not_first', 'not_first']);
  });
});

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
        await (round % 2 === 0 ? Promise.any(sent) : sleep(randomInt(100)));
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
