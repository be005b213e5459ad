/// <reference types="jest" />
import {
  type Affiliate,
  adjustmentBody,
  affiliateBody,
  type ApiClient,
  type ApiResponse,
  conversionBody,
  programBody,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/**
 * Tests which characters text may contain anywhere in a request, and that it is stored as sent.
 */
export const textSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };

  describe('text', () => {
    beforeAll(prepare);
    type Post = (text: string) => Promise<ApiResponse>;
    const change = (fields: object) => api.patch(`/v1/affiliates/${affiliate.id}`, fields);
    const sale = (over: object) => api.post('/v1/conversions', conversionBody(affiliate.id, over));
    const adjust = (over: object) =>
      api.post('/v1/adjustments', adjustmentBody(affiliate.id, over));
    /** Text that must not be empty, by its field. */
    const readable: readonly (readonly [string, Post])[] = [
      ['/name', (name) => api.post('/v1/affiliates', affiliateBody({ name }))],
      ['/name', (name) => change({ name })],
      ['/external_id', (text) => api.post('/v1/affiliates', affiliateBody({ external_id: text }))],
      ['/external_id', (external_id) => change({ external_id })],
      ['/name', (name) => api.post('/v1/programs', programBody({ name }))],
      ['/name', (name) => api.post('/v1/api-keys', { name, scope: 'read' })],
      ['/description', (description) => adjust({ description })],
      ['/external_id', (external_id) => adjust({ external_id })],
      ['/external_transaction_id', (text) => sale({ external_transaction_id: text })],
      ['/customer_id', (customer_id) => sale({ customer_id })],
    ];
    const mayBeEmpty: readonly (readonly [string, Post])[] = [
      ['/reason', (reason) => change({ status: 'approved', reason })],
      ['/payout_hold_reason', (text) => change({ payout_hold: true, payout_hold_reason: text })],
      ['/description', (description) => api.post('/v1/payout-runs', { description })],
      [
        '/description',
        (description) =>
          api.post(
            '/v1/webhooks/subscribe',
            subscriptionBody('http://example.com/', ['affiliate.created'], { description }),
          ),
      ],
    ];
    const broken = [
      '\\ud800',
      'a\\udc00b',
      '\\ud83d',
      '\\u0000',
      'a\\u0007',
      '\\u001b[0m',
      '\\u007f',
      '\\u0085',
      'two\\nlines',
      '\\t',
    ];

    it.each(broken)('"%s" is rejected in every text field', async (escape) => {
      const text = JSON.parse(`"${escape}"`) as string;
      expectIssues(
        await api.post('/v1/affiliates', affiliateBody({ name: `x${text}x` })),
        'validation_failed',
        ['/name'],
      );
      expectProblem(
        await api.post('/v1/affiliates', affiliateBody({ metadata: { key: text } })),
        422,
        'validation_failed',
      );
      expectProblem(
        await api.post('/v1/affiliates', affiliateBody({ metadata: { [text]: 'value' } })),
        422,
        'validation_failed',
      );
      expectProblem(
        await api.post('/v1/affiliates', affiliateBody({ email: `a${text}@example.com` })),
        422,
        'validation_failed',
      );
      expectIssues(
        await api.post(
          '/v1/conversions',
          conversionBody(affiliate.id, { external_transaction_id: text }),
        ),
        'validation_failed',
        ['/external_transaction_id'],
      );
      expectIssues(
        await api.patch(`/v1/affiliates/${affiliate.id}`, { status: 'approved', reason: text }),
        'validation_failed',
        ['/reason'],
      );
      expectProblem(
        await api.post('/v1/webhooks/subscribe', {
          target_url: 'http://example.com/',
          events: ['affiliate.created'],
          description: text,
        }),
        422,
        'validation_failed',
      );
    });

    it.each([
      ['U+200B', '\u200b'],
      ['U+2060', '\u2060'],
      ['U+3164 and spaces', ' \u200b\u3164 '],
    ])(
      '%s, which no one sees, is rejected where people need to see text, and accepted in metadata',
      async (_, text) => {
        for (const [field, post] of readable)
          expectIssues(await post(text), 'validation_failed', [field]);
        expect((await account.affiliate({ metadata: { [text]: text } })).metadata).toEqual({
          [text]: text,
        });
      },
    );

    it.each(['202a', '202b', '202c', '202d', '202e', '2066', '2067', '2068', '2069'])(
      'U+%s, which reorders text, is rejected where people read it, and accepted in metadata',
      async (code) => {
        const text = `a${String.fromCodePoint(Number.parseInt(code, 16))}b`;
        for (const [field, post] of [...readable, ...mayBeEmpty])
          expectIssues(await post(text), 'validation_failed', [field]);
        expect((await account.affiliate({ metadata: { [text]: text } })).metadata).toEqual({
          [text]: text,
        });
      },
    );

    itReads(service)('that reorders text finds nothing', async () => {
      const query = { external_transaction_id: 'a\u202ab', customer_id: 'a\u202ab' };
      expect(await account.all('/v1/conversions', query)).toEqual([]);
    });

    it('is rejected in query parameters too', async () => {
      for (const value of ['%00', '%07', 'a%0Ab', '%7F'])
        expectProblem(
          await api.get(`/v1/conversions?external_transaction_id=${value}`),
          422,
          'validation_failed',
        );
    });

    it('is stored and returned unchanged', async () => {
      const metadata = {
        'emoji 👩‍👩‍👧': '🎈',
        composed: 'é',
        decomposed: 'e\u0301',
        arabic: 'مرحبا',
        spaces: '  kept  ',
        quotes: '"\\/',
        constructor: 'c',
        markup: '<script>&amp;',
        separator: '\u2028',
      };
      const { id } = await account.affiliate({ name: 'Ren\u00e9e \u{1F984} 中文', metadata });
      const { body } = await api.get<Affiliate>(`/v1/affiliates/${id}`);
      expect([body.name, body.metadata]).toEqual(['Ren\u00e9e \u{1F984} 中文', metadata]);
    });

    it('under a key that is special in JavaScript is stored unchanged or rejected, never lost silently', async () => {
      const body = JSON.stringify(affiliateBody({ metadata: { X: 'own' } })).replace(
        '"X"',
        '"__proto__"',
      );
      const response = await api.send('POST', '/v1/affiliates', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      if (response.status === 201) expect(response.text).toContain('"__proto__":"own"');
      else expectProblem(response, 422, 'validation_failed');
    });

    it('is trimmed only in names', async () => {
      expect((await account.affiliate({ name: '  Ada  Lovelace ' })).name).toBe('Ada  Lovelace');
    });
  });
};
