/// <reference types="jest" />
import {
  type ApiClient,
  type ApiKey,
  expectStatus,
  type Program,
  programBody,
  type Page,
  type ServiceFactory,
  TestAccount,
  type TermsVersion,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';

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
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });

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
      [{ type: 'flat', amounts: { XDR: 1 } }, '/terms/amounts/XDR'],
      [{ type: 'flat', amounts: { USD: 1, usd: 1 } }, '/terms/amounts'],
      [{ ...percentage, caps: {} }, '/terms/caps'],
      [{ ...percentage, caps: { USD: -1 } }, '/terms/caps/USD'],
      [{ ...percentage, caps: { XAU: 1 } }, '/terms/caps/XAU'],
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

    it('a fractional rate is refused with a message that mentions basis points', async () => {
      const response = await withTerms({ ...percentage, rate_bps: 12.5 });
      expectIssues(response, 'validation_failed', ['/terms/rate_bps']);
      expect(response.body).toMatchObject({ detail: like.text(/basis points/) });
    });

    it('count their changes, including those back to earlier terms and to none', async () => {
      const { id } = expectStatus(201, await withTerms(percentage));
      const versions = [];
      for (const terms of [flat, percentage, percentage, null, null, flat])
        versions.push(
          expectStatus(200, await api.patch<Program>(`/v1/programs/${id}`, { terms }))
            .terms_version,
        );
      expect(versions).toEqual([2, 3, 3, 4, 4, 5]);
    });

    /** Gives a new program these terms, one after another, and returns what each PATCH wrote. */
    const history = async (
      ...all: readonly (object | null)[]
    ): Promise<{ id: string; moments: object[]; key: ApiKey }> => {
      const { id } = expectStatus(201, await withTerms(null));
      const body = { name: 'pricing', scope: 'admin' };
      const key = expectStatus(201, await api.post<ApiKey>('/v1/api-keys', body));
      const pricing = api.withKey(key.api_key);
      const moments = [];
      for (const [n, terms] of all.entries()) {
        const reason = `reason ${n + 1}`;
        const response = await pricing.patch<Program>(`/v1/programs/${id}`, { terms, reason });
        const at = expectStatus(200, response).updated_at;
        moments.push({ at, position: response.header('refledger-position') });
      }
      return { id, moments, key };
    };

    it('are listed by version, newest first, each with the period in which it was in force', async () => {
      const { id, moments, key } = await history(percentage, null, flat);
      expectStatus(200, await api.patch(`/v1/programs/${id}`, { name: 'Other' }));
      const stored = [{ ...percentage, ...defaults }, null, { ...flat, ...defaults }];
      expect(expectStatus(200, await api.get(`/v1/programs/${id}/terms`))).toEqual({
        object: 'list',
        data: stored
          .map((terms, n) => ({
            object: 'terms_version',
            version: n + 1,
            terms,
            in_force_from: moments[n],
            in_force_to: moments[n + 1] ?? null,
            actor: { type: 'api_key', id: key.id, name: key.name },
            reason: `reason ${n + 1}`,
          }))
          .toReversed(),
        has_more: false,
        next_cursor: null,
      });
    });

    it('that it was created with are version 1, in force since then', async () => {
      const created = await withTerms(percentage);
      const { id, created_at: at } = expectStatus(201, created);
      const position = created.header('refledger-position');
      const [version, ...more] = await account.all<TermsVersion>(`/v1/programs/${id}/terms`);
      expect(more).toEqual([]);
      expect(version).toMatchObject({
        version: 1,
        in_force_from: { at, position },
        in_force_to: null,
        reason: null,
      });
    });

    it('are an empty list if there never were any', async () => {
      const { program_id } = await account.affiliate({ program_id: 'prog_without_terms' });
      expect(await account.all(`/v1/programs/${program_id}/terms`)).toEqual([]);
      expectProblem(await api.get('/v1/programs/prog_missing/terms'), 404, 'not_found');
    });

    it('are listed page by page, each version once, while they change', async () => {
      const changes = Array.from({ length: 7 }, (_, n) => ({ ...percentage, rate_bps: n }));
      const { id } = await history(...changes);
      const path = `/v1/programs/${id}/terms`;
      const seen: TermsVersion[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = { limit: 3, ...(cursor !== '' && { cursor }) };
        const page: Page<TermsVersion> = expectStatus(
          200,
          await api.get<Page<TermsVersion>>(path, { query }),
        );
        seen.push(...page.data);
        cursor = page.next_cursor;
        expectStatus(200, await api.patch(`/v1/programs/${id}`, { terms: { ...flat } }));
        expectStatus(200, await api.patch(`/v1/programs/${id}`, { terms: null }));
      }
      expect(seen.map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
      for (const [n, { in_force_from }] of seen.entries())
        if (n + 1 < seen.length) expect(seen[n + 1]?.in_force_to).toEqual(in_force_from);
      expectIssues(await api.get(path, { query: { limit: 0 } }), 'validation_failed', ['limit']);
      expectIssues(await api.get(path, { query: { cursor: 'x' } }), 'validation_failed', [
        'cursor',
      ]);
    });
  });
};
