/// <reference types="jest" />
import { validateHeaderValue } from 'node:http';
import * as fc from 'fast-check';
import { request } from 'undici';
import {
  affiliateBody,
  type ApiResponse,
  ApiClient,
  expectStatus,
  type Page,
  type PayoutRun,
  scaledTimeout,
  type Service,
  type ServiceFactory,
  TestAccount,
  testSeed,
  unknownId,
  waitFor,
} from '@refledger/testing';
import { pastFailures } from './fuzz.past-failures.js';
import { hostileRequest, type HostileRequest } from './hostile-requests.js';
import type { Known } from './hostile-values.js';
import { operationsOf, type RequestDocument } from './request-document.js';

/**
 * With these settings no target resolves to an allowed address, so nothing leaves the machine,
 * whatever is subscribed.
 */
export const fuzzSettings = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' };

const runs = Number(process.env['FUZZ_RUNS'] ?? 40);

/**
 * Tests every operation of the service's own OpenAPI document with requests from valid to nonsense.
 * `TEST_SEED` repeats a run (the seed is printed), and `FUZZ_RUNS` makes it longer. Requests that
 * once found a bug are kept in `fuzz.past-failures.ts`.
 */
export const fuzzSuite = (service: ServiceFactory): void => {
  describe(`requests made from the OpenAPI document (TEST_SEED=${testSeed}, FUZZ_RUNS=${runs})`, () => {
    let running: Service;
    let document: RequestDocument;
    let keys: Record<HostileRequest['key'], ApiClient>;
    let account: TestAccount;
    let known: Known;
    beforeAll(async () => {
      running = await service();
      document = (await (
        await request(`${running.baseUrl}/openapi.json`)
      ).body.json()) as RequestDocument;
      account = await TestAccount.open(running);
      const operator = await ApiClient.connect(running, running.adminKey);
      keys = {
        admin: account.api,
        reader: await account.withScope('read'),
        operator,
        none: operator.withKey(undefined),
        wrong: operator.withKey('rk_0_wrong-key-of-nobody'),
      };
      known = await valuesOf(account, running);
    });

    it(
      'never get a 5xx, always get the problem shape, and store nothing if rejected',
      async () => {
        let before = await waitForPosition(keys.reader);
        for (const [method, path] of operationsOf(document)) {
          const property = fc.asyncProperty(
            hostileRequest(document, method, path, known),
            async (hostile) => {
              if (!Object.entries(hostile.headers).every(isSendable)) return;
              const response = await send(keys[hostile.key], hostile);
              if (response === undefined) return;
              expect(response.status).toBeLessThan(500);
              if (path.startsWith('/v1/payout-runs') && method !== 'GET')
                for (const key of ['admin', 'operator'] as const) await waitForRuns(keys[key]);
              const after = await waitForPosition(
                keys.reader,
                response.header('refledger-position'),
              );
              if (response.status >= 400 || hostile.method === 'GET' || hostile.method === 'HEAD')
                expect([response.status, after]).toEqual([response.status, before]);
              before = after;
            },
          );
          const examples = pastFailures
            .filter(({ operation }) => operation === `${method} ${path}`)
            .map(({ hostile }) => [hostile] as [HostileRequest]);
          await fc.assert(property, {
            seed: testSeed,
            numRuns: runs + examples.length,
            examples,
            endOnFailure: true,
          });
        }
      },
      scaledTimeout(60_000 + runs * 1_000),
    );

    it('leave every accepted record readable and counted', async () => {
      const affiliate = await account.affiliate();
      const before = (await account.all('/v1/conversions')).length;
      await account.conversion(affiliate.id);
      expect(await account.all('/v1/conversions')).toHaveLength(before + 1);
      expect((await fetch(`${running.baseUrl}/health/ready`)).status).toBe(200);
    });
  });
};

/**
 * Sends a request, and resolves to undefined when no client can send it. The client has checked the
 * response against the document and the rules for every response.
 */
const send = async (
  api: ApiClient,
  { method, path, query, headers, body }: HostileRequest,
): Promise<ApiResponse | undefined> => {
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const carries = body !== undefined && method !== 'HEAD' && method !== 'GET';
  const { 'content-type': type, ...others } = headers;
  try {
    return await api.send(method, `${path}${search === '' ? '' : `?${search}`}`, {
      headers: { ...others, ...(carries && { 'content-type': type }) },
      ...(carries && { body }),
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG')
      return undefined;
    throw error;
  }
};

/** Whether a header has only characters that a client may send. */
const isSendable = ([name, value]: readonly [string, string]): boolean => {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};

/** Escapes text for a URL. A lone surrogate becomes U+FFFD. */
const encode = (text: string): string =>
  encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'));

/**
 * Returns the position that the read models have reached, which is at least `least`, once all
 * entries due by then are posted. The read models follow every event, and nothing else writes.
 */
const waitForPosition = async (reader: ApiClient, least = '0'): Promise<string> => {
  let position = least;
  for (const list of ['/v1/conversions', '/v1/entries', '/v1/conversions']) {
    const headers = { 'refledger-min-position': position };
    const response = await reader.get(list, { query: { limit: 1 }, headers });
    position = response.header('refledger-position') ?? position;
  }
  return position;
};

/**
 * Runs continue in the background, and record events of their own until they and their marks are
 * done.
 */
const waitForRuns = (api: ApiClient): Promise<true> =>
  waitFor(async () => {
    const runs = await api.get<Page<PayoutRun>>('/v1/payout-runs', { query: { limit: 100 } });
    return expectStatus(200, runs).data.every(
      ({ status, marks }) =>
        status === 'finished' && marks.every(({ applied_at }) => applied_at !== null),
    );
  });

const currencies = ['USD', 'eur', 'JPY', 'XXX', 'ZZZ'];

const valuesOf = async (account: TestAccount, running: Service): Promise<Known> => {
  const other = await TestAccount.open(running);
  const mine = await account.affiliate();
  const theirs = await other.affiliate();
  const sale = await account.conversion(mine.id);
  const theirSale = await other.conversion(theirs.id);
  const bonus = await account.adjustment(mine.id);
  const theirBonus = await other.adjustment(theirs.id);
  const payout = await account.payout(mine.id, { even_if_not_approved: true });
  const key = expectStatus(
    201,
    await account.api.post<{ id: string }>('/v1/api-keys', { name: 'to lose', scope: 'read' }),
  );
  const page = expectStatus(
    200,
    await account.api.get<{ next_cursor: string | null }>('/v1/webhooks', { query: { limit: 1 } }),
  );
  const position = (await account.api.get('/v1/conversions')).header('refledger-position') ?? '1';
  const values: Readonly<Record<string, readonly string[]>> = {
    'affiliates.id': [mine.id, theirs.id, unknownId('aff'), sale.id],
    'conversions.id': [sale.id, theirSale.id, unknownId('conv'), mine.id],
    'adjustments.id': [bonus.id, theirBonus.id, unknownId('adj'), sale.id],
    'payouts.id': [payout.id, unknownId('pay')],
    payout_id: [payout.id, unknownId('pay')],
    'api-keys.id': [key.id, unknownId('key')],
    affiliate_id: [mine.id, mine.id, theirs.id, unknownId('aff')],
    program_id: ['prog_spring', 'prog_new', 'prog_'],
    email: [mine.email, mine.email.toUpperCase(), String(affiliateBody()['email'])],
    sale_currency: currencies,
    currency: currencies,
    payable_on: [bonus.payable_on, '2026-02-30', '0000-01-01', '9999-12-31', ''],
    external_id: ['bonus-1', 'bonus-2'],
    external_transaction_id: ['order-1', 'order-2'],
    target_url: [
      'http://hooks.invalid/a',
      'https://hooks.invalid:8443/b?x=1',
      'http://127.0.0.1/',
      'http://[::1]/',
      'ftp://x.invalid/',
    ],
    cursor: page.next_cursor === null ? ['bm90IGEgY3Vyc29y', 'e30', ''] : [page.next_cursor],
    'Refledger-Min-Position': ['0', '1', position, '-1', '01', '1e3', ' ', '١'],
    'Idempotency-Key': ['key-1', 'key-2', 'x'.repeat(255), 'x'.repeat(256), ' '],
  };
  return (name) => values[name] ?? [];
};
