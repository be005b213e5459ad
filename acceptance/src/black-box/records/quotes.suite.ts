/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type Program,
  type Quote,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

/** Tests what a quote says and refuses. Random ones are in `random-quotes.suite.ts`. */
export const quotesSuite = (service: ServiceFactory): void => {
  describe('a quote', () => {
    let account: TestAccount;
    let api: ApiClient;
    let program: Program;
    let affiliate: Affiliate;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });
    beforeEach(async () => {
      const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first', hold_days: 10 };
      program = await account.program({ terms });
      affiliate = await account.affiliate({ program_id: program.id });
    });

    const quote = (over: object = {}, client = api, id = program.id): Promise<ApiResponse<Quote>> =>
      client.post(`/v1/programs/${id}/quote`, {
        sale_amount: 4_950,
        sale_currency: 'usd',
        ...over,
      });
    const why = async (over: object): Promise<string> =>
      expectStatus(200, await quote(over)).commission.why;

    it('says what a sale would earn and when that would be payable, to a key that may only read', async () => {
      const response = await quote(
        { affiliate_id: affiliate.id, occurred_at: '2024-02-20T23:30:00-02:00' },
        await account.withScope('read'),
      );
      expect([response.status, response.body]).toEqual([
        200,
        {
          commission_amount: 990,
          commission: {
            source: 'program',
            terms_version: 1,
            type: 'percentage',
            rate_bps: 2_000,
            why: 'applied',
          },
          payable_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as unknown,
        },
      ]);
    });

    it('applies the terms of the affiliate, and those of the program without one', async () => {
      await account.update(affiliate, { commission: { type: 'flat', amounts: { USD: 7 } } });
      expect(expectStatus(200, await quote({ affiliate_id: affiliate.id }))).toMatchObject({
        commission_amount: 7,
        commission: { source: 'affiliate', terms_version: 1 },
      });
      expect(expectStatus(200, await quote())).toMatchObject({
        commission_amount: 990,
        commission: { source: 'program' },
      });
    });

    it('says what a sale in a currency that was withdrawn after it would earn', async () => {
      const sale = { sale_currency: 'HRK', occurred_at: '2022-05-01T00:00:00Z' };
      expect(expectStatus(200, await quote(sale)).commission_amount).toBe(990);
    });

    it('knows the first sale to a customer, and records none', async () => {
      const sale = { affiliate_id: affiliate.id, customer_id: uniqueText('customer') };
      for (let n = 0; n < 3; n++) expect(await why(sale)).toBe('applied');
      const body = conversionBody(affiliate.id, sale);
      const recorded = expectStatus(201, await api.post<Conversion>('/v1/conversions', body));
      expect(recorded.commission.why).toBe('applied');
      expect(await why(sale)).toBe('not_first');
      expect(await why({ customer_id: sale.customer_id })).toBe('applied');
    });

    it('is refused for an affiliate that is unknown, in another program or not active', async () => {
      const elsewhere = await account.affiliate({ program_id: (await account.program()).id });
      for (const affiliate_id of ['ada', unknownId('aff'), elsewhere.id])
        expectProblem(await quote({ affiliate_id }), 422, 'affiliate_not_found');
      await account.update(affiliate, { status: 'rejected' });
      const { id: affiliate_id } = affiliate;
      expectProblem(await quote({ affiliate_id }), 422, 'affiliate_not_active');
      await account.update(program, { status: 'archived' });
      expectProblem(await quote({ affiliate_id }), 422, 'affiliate_not_active');
      expectProblem(await quote(), 422, 'program_not_active');
    });

    it('reflects Refledger-Min-Position', async () => {
      const quoteAt = (min: string, client = api): Promise<ApiResponse<Quote>> =>
        client.post(
          `/v1/programs/${program.id}/quote`,
          { sale_amount: 1, sale_currency: 'USD' },
          { headers: { 'refledger-min-position': min } },
        );
      const later = await api.post('/v1/conversions', conversionBody(affiliate.id));
      const position = later.header('refledger-position') ?? '';
      const response = await quoteAt(position);
      expect([response.status, response.header('refledger-position')]).toEqual([200, position]);
      const impatient = await account.atGateway(await (await service()).impatient());
      const ahead = await quoteAt('999999999999', impatient.api);
      expectProblem(ahead, 503, 'read_model_behind');
    });

    it('is not found for a program that does not exist or belongs to another account', async () => {
      expectProblem(await quote({}, api, 'prog_none'), 404, 'not_found');
      const other = await TestAccount.open(await service());
      expectProblem(await quote({}, other.api), 404, 'not_found');
      const { id: affiliate_id } = await other.affiliate();
      expectProblem(await quote({ affiliate_id }), 422, 'affiliate_not_found');
    });

    it.each([
      ['/sale_amount', 'validation_failed', { sale_amount: 1.5 }],
      ['/sale_currency', 'validation_failed', { sale_currency: 'XXQ' }],
      ['/sale_currency', 'validation_failed', { sale_currency: 'XAU' }],
      ['/sale_currency', 'validation_failed', { sale_currency: 'BGN' }],
      ['/customer_id', 'validation_failed', { customer_id: '' }],
      ['/occurred_at', 'validation_failed', { occurred_at: '1999-12-31T23:59:59Z' }],
      ['/occurred_at', 'validation_failed', { occurred_at: '2099-01-01T00:00:00Z' }],
      ['/external_transaction_id', 'unknown_field', { external_transaction_id: 'x' }],
      ['/commission_amount', 'unknown_field', { commission_amount: 1 }],
    ])('names %s as %s', async (path, code, over) => {
      expectIssues(await quote(over), code, [path]);
    });
  });
};
