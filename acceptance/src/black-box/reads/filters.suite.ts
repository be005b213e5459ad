/// <reference types="jest" />
import {
  type ApiResponse,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectIssues } from '../expect-problem.js';

/** Tests that a filter is never read as "none" because its value is empty or of the wrong kind. */
export const filtersSuite = (service: ServiceFactory): void => {
  describe('a filter', () => {
    let account: TestAccount;
    beforeAll(async () => {
      ({ account } = await TestAccount.withAffiliate(await service()));
    });

    const list = (path: string, name: string, value: string): Promise<ApiResponse<Page<unknown>>> =>
      account.api.get<Page<unknown>>(`/v1/${path}`, { query: { [name]: value } });
    const expectRefused = async (path: string, name: string, value: string): Promise<void> =>
      expectIssues(await list(path, name, value), 'validation_failed', [name]);

    it.each([
      ['conversions', 'affiliate_id', 'aff'],
      ['conversions', 'program_id', 'prog'],
      ['conversions', 'payout_id', 'pay'],
      ['affiliates', 'program_id', 'prog'],
      ['adjustments', 'affiliate_id', 'aff'],
      ['adjustments', 'program_id', 'prog'],
      ['payouts', 'affiliate_id', 'aff'],
      ['payouts', 'program_id', 'prog'],
      ['payouts', 'run_id', 'run'],
      ['balances', 'affiliate_id', 'aff'],
      ['balances', 'program_id', 'prog'],
      ['entries', 'affiliate_id', 'aff'],
      ['entries', 'program_id', 'prog'],
      ['entries', 'conversion_id', 'conv'],
      ['entries', 'adjustment_id', 'adj'],
      ['deliveries', 'event_id', 'evt'],
      ['deliveries', 'object_id', 'pay'],
    ])(
      'of %s by %s takes an id of its kind, which no one need have',
      async (path, name, prefix) => {
        expect(expectStatus(200, await list(path, name, unknownId(prefix))).data).toEqual([]);
        for (const value of ['', prefix, `${prefix}_`, unknownId('acct'), ` ${unknownId(prefix)}`])
          await expectRefused(path, name, value);
      },
    );

    it('of the summary of balances by program is checked, too', async () => {
      expect(await list('balances/summary', 'program_id', 'prog_none')).toMatchObject({
        status: 200,
        body: { currencies: [] },
      });
      for (const value of ['', 'none', unknownId('aff')])
        await expectRefused('balances/summary', 'program_id', value);
    });

    it.each([
      ['conversions', 'customer_id'],
      ['conversions', 'external_transaction_id'],
      ['conversions', 'sale_currency'],
      ['conversions', 'status'],
      ['affiliates', 'email'],
      ['affiliates', 'external_id'],
      ['affiliates', 'status'],
      ['programs', 'status'],
      ['programs', 'has_terms'],
      ['adjustments', 'currency'],
      ['payouts', 'status'],
      ['payouts', 'completed_after'],
      ['payout-runs', 'status'],
      ['balances', 'open'],
      ['balances', 'on'],
      ['entries', 'kind'],
      ['webhooks', 'created_after'],
      ['api-keys', 'cursor'],
    ])('of %s by %s is refused if it is empty', async (path, name) => {
      await expectRefused(path, name, '');
    });

    it('by an id of the caller takes any other text', async () => {
      for (const name of ['customer_id', 'external_transaction_id'])
        for (const value of ['0', ' ', 'a_b', 'ü'])
          expect(expectStatus(200, await list('conversions', name, value)).data).toEqual([]);
      for (const value of ['0', ' ', 'a_b', 'ü'])
        expect(expectStatus(200, await list('affiliates', 'external_id', value)).data).toEqual([]);
    });

    it('of programs by terms follows every change of the terms', async () => {
      const terms = { type: 'percentage', rate_bps: 2_000 };
      const own = await TestAccount.open(await service());
      const { program_id } = await own.affiliate({ program_id: 'prog_typo' });
      const spring = await own.program({ id: 'prog_spring', terms });
      const listed = async (query: Readonly<Record<string, string>>): Promise<string[]> =>
        expectStatus(
          200,
          await own.api.get<Page<{ id: string }>>('/v1/programs', { query }),
        ).data.map(({ id }) => id);
      expect(await listed({ has_terms: 'false' })).toEqual([program_id]);
      expect(await listed({ has_terms: 'true' })).toEqual([spring.id]);
      await own.api.patch(`/v1/programs/${program_id}`, { terms });
      expect(await listed({ has_terms: 'false' })).toEqual([]);
      await own.update(spring, { terms: null, status: 'archived' });
      expect(await listed({ has_terms: 'false' })).toEqual([spring.id]);
      expect(await listed({ has_terms: 'false', status: 'active' })).toEqual([]);
      expect(await listed({ has_terms: 'true', status: 'active' })).toEqual([program_id]);
      for (const value of ['0', 'no', 'TRUE']) await expectRefused('programs', 'has_terms', value);
    });

    it('by email takes an address, whose + is escaped', async () => {
      const { email } = await account.affiliate({ email: 'ada+shop@example.com' });
      expect(expectStatus(200, await list('affiliates', 'email', email)).data).toHaveLength(1);
      expect(expectStatus(200, await list('affiliates', 'email', 'nobody@b')).data).toEqual([]);
      expectIssues(
        await account.api.get('/v1/affiliates?email=ada+shop@example.com'),
        'validation_failed',
        ['email'],
      );
      for (const value of ['ada', '@example.com', 'ada@', unknownId('aff')])
        await expectRefused('affiliates', 'email', value);
    });
  });
};
