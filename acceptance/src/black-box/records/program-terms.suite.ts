/// <reference types="jest" />
import {
  type ApiClient,
  expectStatus,
  type Program,
  programBody,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectIssues, like } from '../expect-problem.js';

const percentage = { type: 'percentage', rate_bps: 2000 };
const defaults = { recurring: 'every', hold_days: 30 };
const flat = { type: 'flat', amounts: { USD: 500 } };
/** Fifty active currencies and one more. */
const currencies = (
  'USD EUR GBP JPY CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF RON UYU TRY ILS AED SAR QAR KWD BHD ' +
  'OMR JOD EGP MAD TND ZAR NGN KES GHS INR PKR LKR BDT NPR CNY HKD TWD KRW SGD MYR THB IDR PHP ' +
  'VND BRL MXN ARS CLP'
).split(' ');
const amountsIn = (count: number) =>
  Object.fromEntries(currencies.slice(0, count).map((code) => [code, 1]));

/** Tests what terms may be, and how they are stored. */
export const programTermsSuite = (service: ServiceFactory): void => {
  describe('the terms of a program', () => {
    let api: ApiClient;
    beforeAll(async () => void ({ api } = await TestAccount.open(await service())));

    const withTerms = (terms: unknown) => api.post<Program>('/v1/programs', programBody({ terms }));

    it.each<[object, object]>([
      [percentage, { ...percentage, ...defaults }],
      [
        { ...percentage, rate_bps: 0, caps: { usd: 0, Eur: 50_000 }, recurring: 'first' },
        {
          ...percentage,
          rate_bps: 0,
          caps: { USD: 0, EUR: 50_000 },
          recurring: 'first',
          hold_days: 30,
        },
      ],
      [
        { ...percentage, rate_bps: 10_000, recurring: { months: 120 }, hold_days: 365 },
        { ...percentage, rate_bps: 10_000, recurring: { months: 120 }, hold_days: 365 },
      ],
      [flat, { ...flat, ...defaults }],
      [
        { type: 'flat', amounts: { jpy: 999_999_999_999 }, recurring: { months: 1 }, hold_days: 0 },
        { type: 'flat', amounts: { JPY: 999_999_999_999 }, recurring: { months: 1 }, hold_days: 0 },
      ],
    ])('%j are stored with their defaults, and currencies in upper case', async (sent, stored) => {
      const { id, terms, terms_version } = expectStatus(201, await withTerms(sent));
      expect([terms, terms_version]).toEqual([stored, 1]);
      expect(expectStatus(200, await api.get<Program>(`/v1/programs/${id}`)).terms).toEqual(stored);
      const again = await api.patch<Program>(`/v1/programs/${id}`, { terms: stored });
      expect(expectStatus(200, again).revision).toBe(0);
    });

    it.each<[unknown, string]>([
      [{}, '/terms/type'],
      [{ type: 'tiered' }, '/terms/type'],
      [{ type: 'percentage' }, '/terms/rate_bps'],
      [{ ...percentage, rate_bps: 10_001 }, '/terms/rate_bps'],
      [{ ...percentage, rate_bps: -1 }, '/terms/rate_bps'],
      [{ ...percentage, rate_bps: '2000' }, '/terms/rate_bps'],
      [{ type: 'flat' }, '/terms/amounts'],
      [{ type: 'flat', amounts: {} }, '/terms/amounts'],
      [{ type: 'flat', amounts: { USD: 1.5 } }, '/terms/amounts/USD'],
      [{ type: 'flat', amounts: { USD: 1_000_000_000_000 } }, '/terms/amounts/USD'],
      [{ type: 'flat', amounts: { ZZZ: 1 } }, '/terms/amounts/ZZZ'],
      [{ type: 'flat', amounts: { USD: 1, usd: 1 } }, '/terms/amounts'],
      [{ ...percentage, caps: {} }, '/terms/caps'],
      [{ ...percentage, caps: { USD: -1 } }, '/terms/caps/USD'],
      [{ ...percentage, caps: null }, '/terms/caps'],
      [{ ...percentage, recurring: 'never' }, '/terms/recurring'],
      [{ ...percentage, recurring: { months: 0 } }, '/terms/recurring/months'],
      [{ ...percentage, recurring: { months: 121 } }, '/terms/recurring/months'],
      [{ ...percentage, hold_days: 366 }, '/terms/hold_days'],
      [{ ...percentage, hold_days: 0.5 }, '/terms/hold_days'],
      [{ ...percentage, hold_days: null }, '/terms/hold_days'],
      [[], '/terms'],
      ['percentage', '/terms'],
    ])('%j are refused', async (terms, path) =>
      expectIssues(await withTerms(terms), 'validation_failed', [path]),
    );

    it.each<[object, string]>([
      [{ ...percentage, amounts: { USD: 1 } }, '/terms/amounts'],
      [{ ...flat, rate_bps: 1 }, '/terms/rate_bps'],
      [{ ...percentage, tiers: [] }, '/terms/tiers'],
      [{ ...percentage, id: 'x' }, '/terms/id'],
    ])('%j have an unknown field', async (terms, path) =>
      expectIssues(await withTerms(terms), 'unknown_field', [path]),
    );

    it('name up to 50 currencies', async () => {
      const [most, tooMany] = [amountsIn(50), amountsIn(51)];
      const { terms } = expectStatus(
        201,
        await withTerms({ type: 'flat', amounts: most, caps: most }),
      );
      expect(terms).toEqual({ type: 'flat', amounts: most, caps: most, ...defaults });
      expectIssues(
        await withTerms({ type: 'flat', amounts: tooMany, caps: tooMany }),
        'validation_failed',
        ['/terms/amounts', '/terms/caps'],
      );
    });

    it('a fraction of the rate is refused with a message that says basis points', async () => {
      const response = await withTerms({ ...percentage, rate_bps: 12.5 });
      expectIssues(response, 'validation_failed', ['/terms/rate_bps']);
      expect(response.body).toMatchObject({ detail: like.text(/basis points/) });
    });

    it('count their changes, back to earlier ones and to none as well', async () => {
      const { id } = expectStatus(201, await withTerms(percentage));
      const versions = [];
      for (const terms of [flat, percentage, percentage, null, null, flat])
        versions.push(
          expectStatus(200, await api.patch<Program>(`/v1/programs/${id}`, { terms }))
            .terms_version,
        );
      expect(versions).toEqual([2, 3, 3, 4, 4, 5]);
    });
  });
};
