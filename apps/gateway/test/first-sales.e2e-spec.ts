import {
  conversionBody,
  uniqueText,
  type Affiliate,
  type ApiResponse,
  type Conversion,
  type TestAccount,
} from '@refledger/testing';
import { HeldGateway } from './held-gateway.js';

const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first' };

const whyOf = (response: ApiResponse<Conversion>): string | undefined =>
  response.body.commission.why;

describe('a writer held between the two appends of a first sale', () => {
  let held: HeldGateway;
  let account: TestAccount;
  let affiliate: Affiliate;
  beforeAll(async () => {
    held = await HeldGateway.start();
    account = await held.openAccount();
    const program = await account.program({ terms, conversion_approval: 'automatic' });
    affiliate = await account.affiliate({ program_id: program.id });
    affiliate = await account.update(affiliate, { status: 'approved' });
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
    release();
    expect((await response).status).toBe(201);
    expect(whyOf(await response)).toBe('applied');
    const sales = await salesTo(customer_id);
    expect(sales).toHaveLength(4);
    expect(sales).toContainEqual((await response).body);
  });

  it('whose transaction was recorded for another customer is refused, and blocks no one', async () => {
    const [customer_id, other] = [uniqueText('customer'), uniqueText('customer')];
    const external_transaction_id = uniqueText('sale');
    const { response, release } = await held.hold((headers) =>
      sell({ customer_id, external_transaction_id }, headers),
    );
    const recorded = await sell({ customer_id: other, external_transaction_id });
    expect([recorded.status, whyOf(recorded)]).toEqual([201, 'applied']);
    release();
    expect((await response).status).toBe(409);
    for (const why of ['applied', 'not_first'])
      expect(whyOf(await sell({ customer_id }))).toBe(why);
    expect(await salesTo(other)).toHaveLength(1);
  });

  it.each(['another sale', 'its own repetition'])(
    'whose gateway crashes there: %s finishes it, once and as it was decided',
    async (who) => {
      const customer_id = uniqueText('customer');
      await held.hold((headers) => sell({ customer_id }, headers));
      account = await held.crash(account);
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

  it('released while rivals arrive: it is first', async () => {
    const customer_id = uniqueText('customer');
    const { response, release } = await held.hold((headers) => sell({ customer_id }, headers));
    const rivals = [1, 2, 3].map(() => sell({ customer_id }));
    release();
    const all = await Promise.all([response, ...rivals]);
    expect(all.map(whyOf)).toEqual(['applied', 'not_first', 'not_first', 'not_first']);
  });
});
