/// <reference types="jest" />
import type { ApiClient } from '../api-client.js';
import { affiliateBody, conversionBody } from '../builders.js';
import type { Affiliate } from '../records.js';
import type { ServiceFactory } from '../service.js';
import { TestAccount } from '../test-account.js';
import { expectIssues, expectProblem } from './expect-problem.js';

/**
 * Tests which characters text may have anywhere in a request, and that it is stored as it was sent.
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

    it.each(broken)('"%s" is refused wherever text stands', async (escape) => {
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

    it('is refused in query parameters as well', async () => {
      for (const value of ['%00', '%07', 'a%0Ab', '%7F'])
        expectProblem(
          await api.get(`/v1/conversions?external_transaction_id=${value}`),
          422,
          'validation_failed',
        );
    });

    it('is stored and answered as sent', async () => {
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

    it('that is a name JavaScript has a use for is stored as sent or refused, never lost in silence', async () => {
      const body = JSON.stringify(affiliateBody({ metadata: { X: 'own' } })).replace(
        '"X"',
        '"__proto__"',
      );
      const answer = await api.send('POST', '/v1/affiliates', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      if (answer.status === 201) expect(answer.text).toContain('"__proto__":"own"');
      else expectProblem(answer, 422, 'validation_failed');
    });

    it('is trimmed in a name only', async () => {
      expect((await account.affiliate({ name: '  Ada  Lovelace ' })).name).toBe('Ada  Lovelace');
    });
  });
};
