/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiResponse,
  type ApiClient,
  type Conversion,
  conversionBody,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const expectReplay = <T>(response: ApiResponse<T>): T => {
  expect([response.status, response.header('idempotent-replayed')]).toEqual([200, 'true']);
  return response.body;
};

/** Tests `Idempotency-Key` on conversions and affiliates. */
export const idempotencySuite = (service: ServiceFactory): void => {
  describe('an idempotency key', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    const sell = (key: string, over: object = {}) =>
      api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id, over), keyed(key));
    const enroll = (key: string, body: object) =>
      api.post<Affiliate>('/v1/affiliates', body, keyed(key));

    it('the same request again returns the record in its current state', async () => {
      const key = uniqueText('key');
      const first = await sell(key);
      const made = expectStatus(201, first);
      expect(first.header('idempotent-replayed')).toBeUndefined();
      expect(expectReplay(await sell(key))).toEqual(made);
      const approved = await account.update(made, { status: 'approved' });
      const replay = await sell(key);
      expect(expectReplay(replay)).toEqual(approved);
      expect(replay.header('etag')).toBe(`"${approved.revision}"`);
    });

    it('compares requests after normalization: order of fields, case of the currency, spaces around a name', async () => {
      const [sale, joining] = [uniqueText('key'), uniqueText('key')];
      const { id } = expectStatus(201, await sell(sale, { metadata: { a: '1', b: '2' } }));
      const reordered = {
        sale_currency: 'usd',
        metadata: { b: '2', a: '1' },
        sale_amount: 4_950,
        affiliate_id: affiliate.id,
      };
      expect(
        expectReplay(await api.post<Conversion>('/v1/conversions', reordered, keyed(sale))).id,
      ).toBe(id);
      const body = affiliateBody({ name: 'Ada' });
      expectStatus(201, await enroll(joining, body));
      expectReplay(await enroll(joining, { ...body, name: ' Ada ' }));
    });

    it('another request with a used key is rejected', async () => {
      const [sale, joining] = [uniqueText('key'), uniqueText('key')];
      expectStatus(201, await sell(sale));
      for (const over of [
        { sale_amount: 1 },
        { sale_currency: 'EUR' },
        { metadata: { a: '1' } },
        { affiliate_id: unknownId('aff') },
      ])
        expect(
          expectProblem(await sell(sale, over), 422, 'idempotency_key_reused').errors,
        ).toMatchObject([{ path: `/${Object.keys(over)[0]}`, code: 'differs' }]);
      const body = affiliateBody();
      expectStatus(201, await enroll(joining, body));
      for (const over of [
        { name: 'Other' },
        { email: uniqueEmail() },
        { program_id: 'prog_other' },
      ])
        expectProblem(await enroll(joining, { ...body, ...over }), 422, 'idempotency_key_reused');
    });

    it('stands for the creating request, despite later changes', async () => {
      const key = uniqueText('key');
      const made = expectStatus(201, await sell(key));
      await account.update(made, { sale_amount: 1, metadata: { changed: 'yes' } });
      expect(expectReplay(await sell(key)).sale_amount).toBe(1);
      expectProblem(await sell(key, { sale_amount: 1 }), 422, 'idempotency_key_reused');
    });

    it('is checked before any rule about the affiliate', async () => {
      const leaving = await account.update(await account.affiliate(), { status: 'approved' });
      const key = uniqueText('key');
      const body = conversionBody(leaving.id);
      const { id } = expectStatus(
        201,
        await api.post<Conversion>('/v1/conversions', body, keyed(key)),
      );
      await account.update(leaving, { status: 'suspended' });
      expect(expectReplay(await api.post<Conversion>('/v1/conversions', body, keyed(key))).id).toBe(
        id,
      );
      expectStatus(204, await api.delete(`/v1/affiliates/${leaving.id}`));
      expect(expectReplay(await api.post<Conversion>('/v1/conversions', body, keyed(key))).id).toBe(
        id,
      );
      expectProblem(
        await api.post('/v1/conversions', { ...body, sale_amount: 2 }, keyed(key)),
        422,
        'idempotency_key_reused',
      );
    });

    it('of a deleted affiliate always returns 404', async () => {
      const key = uniqueText('key');
      const body = affiliateBody();
      const { id } = expectStatus(201, await enroll(key, body));
      expectStatus(204, await api.delete(`/v1/affiliates/${id}`));
      expectProblem(await enroll(key, body), 404, 'not_found');
      expectProblem(await enroll(key, body), 404, 'not_found');
      const other = await enroll(key, { ...body, name: 'Other' });
      expect(expectProblem(other, 422, 'idempotency_key_reused').errors).toBeUndefined();
    });

    it('works for an affiliate whose email has changed', async () => {
      const key = uniqueText('key');
      const body = affiliateBody();
      const made = expectStatus(201, await enroll(key, body));
      const moved = await account.update(made, { email: uniqueEmail() });
      expect(expectReplay(await enroll(key, body))).toEqual(moved);
    });

    it('is not used up by a rejected request', async () => {
      const key = uniqueText('key');
      expectProblem(
        await enroll(key, affiliateBody({ email: affiliate.email })),
        409,
        'affiliate_exists',
      );
      expectStatus(201, await enroll(key, affiliateBody()));
    });

    it('belongs to its account and its kind of record', async () => {
      const key = uniqueText('key');
      expectStatus(201, await sell(key));
      expectStatus(201, await enroll(key, affiliateBody()));
      const other = await TestAccount.open(await service());
      expectStatus(
        201,
        await other.api.post(
          '/v1/conversions',
          conversionBody((await other.affiliate()).id),
          keyed(key),
        ),
      );
    });

    it('is ignored if there is an external_transaction_id', async () => {
      const key = uniqueText('key');
      const [one, two] = [uniqueText('sale'), uniqueText('sale')];
      const first = expectStatus(201, await sell(key, { external_transaction_id: one }));
      const second = expectStatus(201, await sell(key, { external_transaction_id: two }));
      expect(second.id).not.toBe(first.id);
      expect(expectReplay(await sell(uniqueText('key'), { external_transaction_id: one })).id).toBe(
        first.id,
      );
      expectProblem(
        await sell(key, { external_transaction_id: one, sale_amount: 1 }),
        409,
        'conversion_exists',
      );
      expectStatus(201, await sell(key));
      expectStatus(
        201,
        await sell('x'.repeat(256), { external_transaction_id: uniqueText('sale') }),
      );
    });

    it.each(['x'.repeat(256), 'caf\u00e9', ''])('"%s" is not a valid key', async (key) => {
      expectProblem(await sell(key), 422, 'validation_failed');
    });

    it('can have 1 to 255 printable characters', async () => {
      for (const key of [
        `${uniqueText('k')}${' ~"'.repeat(80)}`.slice(0, 254) + '.',
        uniqueText('!'),
      ])
        expectReplay((await sell(key), await sell(key)));
    });

    itReads(service)('holds under concurrency: one create, and all others replay it', async () => {
      const key = uniqueText('key');
      const responses = await Promise.all(
        Array.from({ length: 30 }, () => sell(key, { sale_amount: 77, sale_currency: 'CHF' })),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(29).fill(200),
        201,
      ]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(await account.all('/v1/conversions', { sale_currency: 'CHF' })).toHaveLength(1);
    });

    itReads(service)(
      'holds under concurrency for affiliates, and lets one of several requests win',
      async () => {
        const key = uniqueText('key');
        const bodies = Array.from({ length: 10 }, () => affiliateBody({ program_id: 'prog_race' }));
        const responses = await Promise.all(
          [...bodies, ...bodies, ...bodies].map((body) => enroll(key, body)),
        );
        const statuses = responses.map(({ status }) => status).toSorted();
        expect(statuses).toEqual([200, 200, 201, ...Array<number>(27).fill(422)]);
        expect(await account.all('/v1/affiliates', { program_id: 'prog_race' })).toHaveLength(1);
      },
    );
  });
};
