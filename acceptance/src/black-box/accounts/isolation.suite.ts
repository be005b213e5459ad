/// <reference types="jest" />
import {
  type Adjustment,
  adjustmentBody,
  type Affiliate,
  affiliateBody,
  type ApiResponse,
  type ApiKey,
  type Conversion,
  conversionBody,
  type Delivery,
  type Endpoint,
  expectStatus,
  type Page,
  type Problem,
  type Program,
  programBody,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
  uniqueText,
  unknownId,
  waitFor,
} from '@refledger/testing';
import { expectIssues } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests that one account never sees another's data. */
export const isolationSuite = (service: ServiceFactory): void => {
  describe('two accounts', () => {
    let mine: TestAccount;
    let theirs: TestAccount;
    let affiliate: Affiliate;
    let sale: Conversion;
    let endpoint: Endpoint;
    let key: ApiKey;
    let program: Program;
    let bonus: Adjustment;
    beforeAll(async () => {
      [mine, theirs] = [
        await TestAccount.open(await service()),
        await TestAccount.open(await service()),
      ];
      affiliate = await theirs.affiliate();
      sale = await theirs.conversion(affiliate.id, { external_transaction_id: 'shared-name' });
      endpoint = await theirs.subscribe(`http://example.com/${uniqueText('hook')}`, [
        'conversion.created',
      ]);
      program = expectStatus(
        201,
        await theirs.api.post<Program>('/v1/programs', programBody({ id: 'prog_shared' })),
      );
      bonus = await theirs.adjustment(affiliate.id, { external_id: 'shared-name' });
      key = expectStatus(
        201,
        await theirs.api.post<ApiKey>('/v1/api-keys', { name: 'theirs', scope: 'read' }),
      );
    });

    /**
     * Returns a response without the parts that must differ: the requested id and the request id.
     */
    const withoutIds = (response: ApiResponse, id: string): unknown => {
      const { request_id: _, ...problem } = response.body as Problem;
      return [response.status, JSON.stringify(problem).replaceAll(id, 'ID')];
    };
    type Prefix = 'aff' | 'conv' | 'key' | 'prog' | 'adj' | 'whk';
    const ways: readonly [string, Prefix, (id: string) => Promise<ApiResponse>][] = [
      ['GET an affiliate', 'aff', (id) => mine.api.get(`/v1/affiliates/${id}`)],
      [
        'PATCH an affiliate',
        'aff',
        (id) => mine.api.patch(`/v1/affiliates/${id}`, { name: 'Mine' }),
      ],
      [
        'PATCH an affiliate with If-Match',
        'aff',
        (id) =>
          mine.api.patch(
            `/v1/affiliates/${id}`,
            { name: 'Mine' },
            { headers: { 'if-match': '"0"' } },
          ),
      ],
      ['DELETE an affiliate', 'aff', (id) => mine.api.delete(`/v1/affiliates/${id}`)],
      [
        'GET the history of an affiliate',
        'aff',
        (id) => mine.api.get(`/v1/affiliates/${id}/history`),
      ],
      [
        'GET an affiliate as of a position',
        'aff',
        (id) => mine.api.get(`/v1/affiliates/${id}`, { query: { as_of: '1' } }),
      ],
      [
        'GET the history of a conversion',
        'conv',
        (id) => mine.api.get(`/v1/conversions/${id}/history`),
      ],
      [
        'GET a conversion as of a position',
        'conv',
        (id) => mine.api.get(`/v1/conversions/${id}`, { query: { as_of: '1' } }),
      ],
      ['GET a conversion', 'conv', (id) => mine.api.get(`/v1/conversions/${id}`)],
      [
        'PATCH a conversion',
        'conv',
        (id) => mine.api.patch(`/v1/conversions/${id}`, { status: 'refunded' }),
      ],
      ['GET a program', 'prog', (id) => mine.api.get(`/v1/programs/${id}`)],
      ['GET the terms of a program', 'prog', (id) => mine.api.get(`/v1/programs/${id}/terms`)],
      ['GET the history of a program', 'prog', (id) => mine.api.get(`/v1/programs/${id}/history`)],
      [
        'GET a program as of a position',
        'prog',
        (id) => mine.api.get(`/v1/programs/${id}`, { query: { as_of: '1' } }),
      ],
      [
        'POST a quote of a program',
        'prog',
        (id) => mine.api.post(`/v1/programs/${id}/quote`, { sale_amount: 1, sale_currency: 'USD' }),
      ],
      ['PATCH a program', 'prog', (id) => mine.api.patch(`/v1/programs/${id}`, { name: 'Mine' })],
      ['GET an adjustment', 'adj', (id) => mine.api.get(`/v1/adjustments/${id}`)],
      [
        'GET an adjustment as of a position',
        'adj',
        (id) => mine.api.get(`/v1/adjustments/${id}`, { query: { as_of: '1' } }),
      ],
      [
        'GET the history of an adjustment',
        'adj',
        (id) => mine.api.get(`/v1/adjustments/${id}/history`),
      ],
      [
        'PATCH an adjustment',
        'adj',
        (id) => mine.api.patch(`/v1/adjustments/${id}`, { status: 'voided', reason: 'mine' }),
      ],
      [
        'POST an adjustment for an affiliate',
        'aff',
        (id) => mine.api.post('/v1/adjustments', adjustmentBody(id)),
      ],
      [
        'PATCH a webhook endpoint',
        'whk',
        (id) => mine.api.patch(`/v1/webhooks/${id}`, { description: 'mine' }),
      ],
      [
        'POST a rotation of a secret',
        'whk',
        (id) => mine.api.post(`/v1/webhooks/${id}/rotate-secret`, {}),
      ],
      ['DELETE a webhook endpoint', 'whk', (id) => mine.api.delete(`/v1/webhooks/${id}`)],
      ['DELETE a key', 'key', (id) => mine.api.delete(`/v1/api-keys/${id}`)],
      [
        'POST a conversion for an affiliate',
        'aff',
        (id) => mine.api.post('/v1/conversions', conversionBody(id)),
      ],
    ];

    it.each(ways)(
      '%s of another account responds exactly as for an unknown id',
      async (_name, prefix, send) => {
        const id = {
          aff: affiliate.id,
          conv: sale.id,
          key: key.id,
          prog: program.id,
          adj: bonus.id,
          whk: endpoint.id,
        }[prefix];
        const unknown = unknownId(prefix);
        const response = await send(id);
        expect([404, 422]).toContain(response.status);
        expect(withoutIds(response, id)).toEqual(withoutIds(await send(unknown), unknown));
      },
    );

    itReads(service)(
      'reading statistics, or reading or testing an endpoint, of another account responds exactly as for an unknown id',
      async () => {
        const reads: readonly (readonly [string, Prefix, (id: string) => Promise<ApiResponse>])[] =
          [
            [affiliate.id, 'aff', (id) => mine.api.get(`/v1/affiliates/${id}/stats`)],
            [endpoint.id, 'whk', (id) => mine.api.get(`/v1/webhooks/${id}`)],
            [endpoint.id, 'whk', (id) => mine.api.get(`/v1/webhooks/${id}/history`)],
            [endpoint.id, 'whk', (id) => mine.api.get(`/v1/webhooks/${id}/secret`)],
            [endpoint.id, 'whk', (id) => mine.api.get(`/v1/webhooks/${id}/stats`)],
            [endpoint.id, 'whk', (id) => mine.api.post(`/v1/webhooks/${id}/test`, undefined)],
          ];
        for (const [id, prefix, send] of reads) {
          const response = await send(id);
          expect(response.status).toBe(404);
          const unknown = unknownId(prefix);
          expect(withoutIds(response, id)).toEqual(withoutIds(await send(unknown), unknown));
        }
      },
    );

    itReads(service)(
      "unsubscribing another account's target returns 404, and leaves it subscribed",
      async () => {
        expect(
          (
            await mine.api.delete('/v1/webhooks/subscribe', {
              query: { target_url: endpoint.target_url },
            })
          ).status,
        ).toBe(404);
        expect((await theirs.all<Endpoint>('/v1/webhooks')).map(({ id }) => id)).toEqual([
          endpoint.id,
        ]);
      },
    );

    itReads(service)(
      'deliveries of another account are treated like deliveries that do not exist',
      async () => {
        const { id: object_id } = await theirs.conversion(affiliate.id);
        const { id, event_id } = await waitFor(
          async () => (await theirs.all<Delivery>('/v1/deliveries', { object_id }))[0],
        );
        const own = `/v1/webhooks/${endpoint.id}/deliveries`;
        expectStatus(200, await theirs.api.get(`${own}/${id}`));
        expect(await mine.all('/v1/deliveries')).toEqual([]);
        expect(await mine.all('/v1/deliveries', { event_id })).toEqual([]);
        const none = unknownId('whk');
        const filtered = (endpoint_id: string): Promise<ApiResponse> =>
          mine.api.get('/v1/deliveries', { query: { endpoint_id, event_id } });
        const response = await filtered(endpoint.id);
        expectIssues(response, 'validation_failed', ['endpoint_id']);
        expect(withoutIds(response, endpoint.id)).toEqual(withoutIds(await filtered(none), none));
        for (const path of ['deliveries', `deliveries/${id}`]) {
          const below = (whk: string) => mine.api.get(`/v1/webhooks/${whk}/${path}`);
          const refused = await below(endpoint.id);
          expect(refused.status).toBe(404);
          expect(withoutIds(refused, endpoint.id)).toEqual(withoutIds(await below(none), none));
        }
      },
    );

    it('the attempts changed nothing', async () => {
      expect((await theirs.api.get(`/v1/affiliates/${affiliate.id}`)).body).toEqual(affiliate);
      expect((await theirs.api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
      expect((await theirs.api.get(`/v1/programs/${program.id}`)).body).toEqual(program);
      expect((await theirs.api.get(`/v1/adjustments/${bonus.id}`)).body).toEqual(bonus);
      expectStatus(200, await theirs.api.withKey(key.api_key).get('/v1/account'));
    });

    itReads(service)('lists and filters show no records of another account', async () => {
      for (const records of [
        'affiliates',
        'conversions',
        'programs',
        'adjustments',
        'webhooks',
        'deliveries',
      ])
        expect(await mine.all(`/v1/${records}`)).toEqual([]);
      expect(await mine.all('/v1/adjustments', { affiliate_id: affiliate.id })).toEqual([]);
      expect(await mine.all('/v1/conversions', { affiliate_id: affiliate.id })).toEqual([]);
      expect(await mine.all('/v1/conversions', { external_transaction_id: 'shared-name' })).toEqual(
        [],
      );
      expect(await mine.all('/v1/affiliates', { email: affiliate.email })).toEqual([]);
      const shown = await mine.all<ApiKey>('/v1/api-keys');
      expect(shown.map(({ id }) => id)).not.toContain(key.id);
    });

    it('names that clients choose are scoped to their account', async () => {
      const own = await mine.affiliate({
        email: affiliate.email,
        program_id: affiliate.program_id,
      });
      const made = await mine.conversion(own.id, { external_transaction_id: 'shared-name' });
      expect([own.id, made.id]).not.toEqual([affiliate.id, sale.id]);
      const myBonus = await mine.adjustment(own.id, { external_id: 'shared-name' });
      expect(myBonus.id).not.toBe(bonus.id);
      const myProgram = programBody({ id: program.id, name: 'Mine' });
      expectStatus(201, await mine.api.post('/v1/programs', myProgram));
      const subscribed = expectStatus(
        201,
        await mine.api.post<Endpoint>(
          '/v1/webhooks/subscribe',
          subscriptionBody(endpoint.target_url, ['conversion.created']),
        ),
      );
      expect([subscribed.id === endpoint.id, subscribed.secret === endpoint.secret]).toEqual([
        false,
        false,
      ]);
      const body = affiliateBody();
      const idempotent = { headers: { 'idempotency-key': 'the-same-key' } };
      const [one, two] = [
        expectStatus(201, await mine.api.post<Affiliate>('/v1/affiliates', body, idempotent)),
        expectStatus(201, await theirs.api.post<Affiliate>('/v1/affiliates', body, idempotent)),
      ];
      expect(one.id).not.toBe(two.id);
    });

    it('a cursor from another account reveals nothing about it', async () => {
      for (let n = 0; n < 3; n++) await theirs.conversion(affiliate.id);
      const { next_cursor: cursor } = (
        await theirs.api.get<Page<Conversion>>('/v1/conversions', { query: { limit: 2 } })
      ).body;
      const response = await mine.api.get<Page<Conversion>>('/v1/conversions', {
        query: { limit: 2, cursor: cursor ?? '' },
      });
      if (response.status === 422) expectIssues(response, 'validation_failed', ['cursor']);
      else
        for (const { id } of expectStatus(200, response).data)
          expectStatus(200, await mine.api.get(`/v1/conversions/${id}`));
    });
  });
};
