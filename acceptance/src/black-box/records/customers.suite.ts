/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { millisecondAfter } from '../millisecond-after.js';

/** Tests which sales to one customer earn a commission. */
export const customersSuite = (service: ServiceFactory): void => {
  describe('the customer of a sale', () => {
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });

    /** An approved affiliate of a program that pays 20% for these sales to a customer. */
    const paying = async (recurring?: unknown, program: object = {}): Promise<Affiliate> => {
      const terms = {
        type: 'percentage',
        rate_bps: 2_000,
        ...(recurring !== undefined && { recurring }),
      };
      const { id: program_id } = await account.program({ terms, ...program });
      return account.update(await account.affiliate({ program_id }), { status: 'approved' });
    };
    const send = (affiliate: Affiliate, over: object): Promise<ApiResponse<Conversion>> =>
      api.post('/v1/conversions', conversionBody(affiliate.id, { sale_amount: 10_000, ...over }));
    const earned = async (affiliate: Affiliate, over: object): Promise<unknown> => {
      const { commission_amount, commission } = expectStatus(201, await send(affiliate, over));
      return [commission_amount, commission.why];
    };
    const newCustomer = (): { readonly customer_id: string } => ({
      customer_id: uniqueText('customer'),
    });

    it('is in the record, and null if it was not sent', async () => {
      const affiliate = await paying();
      const customer = newCustomer();
      const sale = expectStatus(201, await send(affiliate, customer));
      expect(sale.customer_id).toBe(customer.customer_id);
      expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
      expect(expectStatus(201, await send(affiliate, {})).customer_id).toBeNull();
    });

    it.each(['', 'x'.repeat(256), 17, null])('of %j is refused', async (customer_id) => {
      const affiliate = await paying();
      expectIssues(await send(affiliate, { customer_id }), 'validation_failed', ['/customer_id']);
    });

    it('cannot be changed', async () => {
      const sale = expectStatus(201, await send(await paying(), newCustomer()));
      const response = await api.patch(`/v1/conversions/${sale.id}`, newCustomer());
      expectIssues(response, 'immutable_field', ['/customer_id']);
    });

    it('is part of the sale: a sale sent again without it, or with another one, is a different sale', async () => {
      const affiliate = await paying();
      const sale = { external_transaction_id: uniqueText('sale'), ...newCustomer() };
      const first = expectStatus(201, await send(affiliate, sale));
      expect(expectStatus(200, await send(affiliate, sale))).toEqual(first);
      for (const customer_id of [undefined, `${sale.customer_id} `, sale.customer_id.toUpperCase()])
        expectProblem(await send(affiliate, { ...sale, customer_id }), 409, 'conversion_exists');
    });

    it('earns the affiliate a commission on every sale by default', async () => {
      const affiliate = await paying();
      const customer = newCustomer();
      for (let n = 0; n < 3; n++)
        expect(await earned(affiliate, customer)).toEqual([2_000, 'applied']);
    });

    it('earns each affiliate a commission only on the first sale, if the terms say so', async () => {
      const [affiliate, other] = [await paying('first'), await paying('first')];
      const customer = newCustomer();
      expect(await earned(affiliate, customer)).toEqual([2_000, 'applied']);
      expect(await earned(affiliate, customer)).toEqual([0, 'not_first']);
      expect(await earned(other, customer)).toEqual([2_000, 'applied']);
      expect(await earned(affiliate, newCustomer())).toEqual([2_000, 'applied']);
      for (let n = 0; n < 2; n++) expect(await earned(affiliate, {})).toEqual([2_000, 'applied']);
    });

    it('earns the affiliate commissions for some months after the first sale, by the calendar in UTC', async () => {
      const affiliate = await paying({ months: 1 });
      const customer = newCustomer();
      for (const [occurred_at, amount, why] of [
        ['2024-01-31T12:00:00Z', 2_000, 'applied'],
        ['2024-02-29T13:59:59.999+02:00', 2_000, 'applied'],
        ['2024-02-29T12:00:00Z', 0, 'after_duration'],
        ['2023-12-01T00:00:00Z', 2_000, 'applied'],
        [undefined, 0, 'after_duration'],
      ] as const)
        expect(await earned(affiliate, { ...customer, occurred_at })).toEqual([amount, why]);
    });

    it('keeps its first sale, whatever became of it and of the terms', async () => {
      const affiliate = await paying(undefined, { terms: null });
      const customer = newCustomer();
      const first = expectStatus(201, await send(affiliate, customer));
      await account.update(first, { status: 'rejected' });
      const terms = { type: 'percentage', rate_bps: 2_000, recurring: 'first' };
      expectStatus(200, await api.patch(`/v1/programs/${affiliate.program_id}`, { terms }));
      expect(await earned(affiliate, customer)).toEqual([0, 'not_first']);
    });

    it('can still have a first sale after one that was refused', async () => {
      const affiliate = await paying('first');
      const customer = newCustomer();
      await account.update(affiliate, { status: 'suspended' });
      expectProblem(await send(affiliate, customer), 422, 'affiliate_not_active');
      await account.update(affiliate, { status: 'approved' });
      expect(await earned(affiliate, customer)).toEqual([2_000, 'applied']);
    });

    it('earns nothing on a later sale whose amount changes, unless a commission is sent', async () => {
      const affiliate = await paying('first');
      const customer = newCustomer();
      expectStatus(201, await send(affiliate, customer));
      const later = expectStatus(201, await send(affiliate, customer));
      expect(await account.update(later, { sale_amount: 5 })).toMatchObject({
        commission_amount: 0,
        commission: later.commission,
      });
      expect(await account.update(later, { commission_amount: 7 })).toMatchObject({
        commission_amount: 7,
      });
      expect(await account.update(later, { commission_amount: null })).toMatchObject({
        commission_amount: 0,
        commission: later.commission,
      });
    });

    it.each([
      ['manual', 'pending'],
      ['automatic', 'approved'],
    ])(
      'earns a commission on exactly one of 100 simultaneous first sales, with %s approval',
      async (conversion_approval, status) => {
        const affiliate = await paying('first', { conversion_approval });
        const customer = newCustomer();
        const responses = await Promise.all(
          Array.from({ length: 100 }, () => send(affiliate, customer)),
        );
        const sales = responses.map((response) => expectStatus(201, response));
        expect(sales.map((sale) => sale.commission.why).toSorted()).toEqual([
          'applied',
          ...Array<string>(99).fill('not_first'),
        ]);
        expect(new Set(sales.map((sale) => sale.status))).toEqual(new Set([status]));
        expect(await earned(affiliate, customer)).toEqual([0, 'not_first']);
      },
    );

    it('of a sale sent for several customers at once is one of them, and the others can still have a first sale', async () => {
      const affiliate = await paying('first');
      const customers = Array.from({ length: 10 }, newCustomer);
      const external_transaction_id = uniqueText('sale');
      const responses = await Promise.all(
        customers.map((customer) => send(affiliate, { external_transaction_id, ...customer })),
      );
      const winner = responses.findIndex(({ status }) => status === 201);
      for (const [n, response] of responses.entries())
        if (n !== winner) expectProblem(response, 409, 'conversion_exists');
      for (const [n, customer] of customers.entries())
        expect(await earned(affiliate, customer)).toEqual(
          n === winner ? [0, 'not_first'] : [2_000, 'applied'],
        );
    });

    itReads(service)('finds its sales in the list, alone and with other filters', async () => {
      const [affiliate, other] = [await paying(), await paying()];
      const customer = newCustomer();
      const sales: Conversion[] = [];
      for (const seller of [affiliate, other, affiliate]) {
        const sale = expectStatus(201, await send(seller, customer));
        sales.push(sale);
        await millisecondAfter(sale);
      }
      expectStatus(201, await send(affiliate, newCustomer()));
      const [first, second, third] = sales;
      await account.update(third as Conversion, { status: 'approved' });
      const listed = async (query: object): Promise<string[]> =>
        (await account.all<Conversion>('/v1/conversions', { ...customer, ...query })).map(
          ({ id }) => id,
        );
      expect(await listed({})).toEqual([third?.id, second?.id, first?.id]);
      expect(await listed({ affiliate_id: affiliate.id })).toEqual([third?.id, first?.id]);
      expect(await listed({ program_id: other.program_id })).toEqual([second?.id]);
      expect(await listed({ status: 'approved', affiliate_id: affiliate.id })).toEqual([third?.id]);
      expect(await listed({ status: 'refunded' })).toEqual([]);
      expect(await listed({ customer_id: customer.customer_id.toUpperCase() })).toEqual([]);
    });
  });
};
