/// <reference types="jest" />
import {
  type Affiliate,
  type ApiResponse,
  type ApiClient,
  type Conversion,
  conversionBody,
  type ConversionStatus,
  conversionStatuses,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';

/** Tests the creation and change of conversions. */
export const conversionsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };
  const post = (over: object = {}): Promise<ApiResponse<Conversion>> =>
    api.post('/v1/conversions', conversionBody(affiliate.id, over));
  const patch = (id: string, change: object): Promise<ApiResponse<Conversion>> =>
    api.patch(`/v1/conversions/${id}`, change);

  describe('creating a conversion', () => {
    beforeAll(prepare);

    it('returns 201 with the whole record and its Location', async () => {
      const response = await post({
        external_transaction_id: 'whole-record',
        metadata: { campaign: 'spring' },
      });
      const record = expectStatus(201, response);
      expect(record).toEqual({
        id: like.id('conv'),
        object: 'conversion',
        affiliate_id: affiliate.id,
        program_id: affiliate.program_id,
        status: 'pending',
        occurred_at: record.created_at,
        sale_amount: 4_950,
        refunded_amount: 0,
        sale_currency: 'USD',
        commission_amount: 0,
        commission: {
          source: 'none',
          terms_version: null,
          type: null,
          rate_bps: null,
          why: 'no_terms',
        },
        payable_on: daysAfter(record.created_at, 30),
        external_transaction_id: 'whole-record',
        customer_id: null,
        metadata: { campaign: 'spring' },
        reason: null,
        payout_id: null,
        created_at: like.instant(),
        updated_at: record.created_at,
        approved_at: null,
        revision: 0,
      });
      expect(response.header('location')).toMatch(new RegExp(`/v1/conversions/${record.id}$`));
      expect((await api.get(`/v1/conversions/${record.id}`)).body).toEqual(record);
    });

    it('needs an affiliate, an amount and a currency, and names each missing field', async () => {
      expectIssues(await api.post('/v1/conversions', {}), 'validation_failed', [
        '/affiliate_id',
        '/sale_amount',
        '/sale_currency',
      ]);
      for (const [field, path] of [
        ['affiliate_id', '/affiliate_id'],
        ['sale_amount', '/sale_amount'],
        ['sale_currency', '/sale_currency'],
      ] as const)
        expectIssues(await post({ [field]: undefined }), 'validation_failed', [path]);
    });

    it.each([0, 1, 999_999_999_999])('accepts the amount %d', async (sale_amount) => {
      expect(expectStatus(201, await post({ sale_amount })).sale_amount).toBe(sale_amount);
    });

    it.each([-1, 1_000_000_000_000, 2 ** 53, '100', null, true, [1], { amount: 1 }])(
      'rejects the amount %j',
      async (sale_amount) => {
        expectIssues(await post({ sale_amount }), 'validation_failed', ['/sale_amount']);
      },
    );

    it('rejects a fraction with a message that mentions minor units', async () => {
      for (const sale_amount of [49.5, 0.1, 1e-7]) {
        const response = await post({ sale_amount });
        expectIssues(response, 'validation_failed', ['/sale_amount']);
        expect(response.text).toContain('minor units');
      }
    });

    it('rejects JSON numbers beyond the range of safe integers', async () => {
      for (const number of ['1e400', '-1e400', '9007199254740993']) {
        const body = JSON.stringify(conversionBody(affiliate.id, { sale_amount: 7_777 })).replace(
          '7777',
          number,
        );
        expectProblem(
          await api.send('POST', '/v1/conversions', {
            body,
            headers: { 'content-type': 'application/json' },
          }),
          422,
          'validation_failed',
        );
      }
    });

    it.each(['usd', 'EUR', 'jPy', 'BHD', 'CHF'])(
      'accepts the currency %s and stores it in upper case',
      async (sale_currency) => {
        expect(expectStatus(201, await post({ sale_currency })).sale_currency).toBe(
          sale_currency.toUpperCase(),
        );
      },
    );

    it.each([
      'ABC',
      'DEM',
      'HRK',
      'US',
      'USDD',
      '',
      ' USD',
      'u\u017fd',
      '\uff35\uff33\uff24',
      840,
      null,
      ['USD'],
    ])('rejects the currency %j', async (sale_currency) => {
      expectIssues(await post({ sale_currency }), 'validation_failed', ['/sale_currency']);
    });

    it('accepts a transaction id of 1 to 255 characters', async () => {
      for (const id of [uniqueText('x'), 'x'.repeat(255), '🎈'.repeat(255)])
        expect(
          expectStatus(201, await post({ external_transaction_id: id })).external_transaction_id,
        ).toBe(id);
      for (const id of ['', 'x'.repeat(256), 5, []])
        expectIssues(await post({ external_transaction_id: id }), 'validation_failed', [
          '/external_transaction_id',
        ]);
    });

    it('accepts at most 50 pairs of metadata, with keys up to 40 and values up to 500 characters', async () => {
      const pairs = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, 'v'.repeat(500)]));
      const full = { ...pairs(49), ['k'.repeat(40)]: '' };
      expect(expectStatus(201, await post({ metadata: full })).metadata).toEqual(full);
      for (const metadata of [
        pairs(51),
        { ['k'.repeat(41)]: 'v' },
        { k: 'v'.repeat(501) },
        { k: 1 },
        { k: null },
        { k: { deep: 'x' } },
        [],
        'text',
        null,
      ])
        expectProblem(await post({ metadata }), 422, 'validation_failed');
    });

    it('needs an affiliate that belongs to the account and is not deleted', async () => {
      const gone = await account.affiliate();
      expectStatus(204, await api.delete(`/v1/affiliates/${gone.id}`));
      for (const affiliate_id of [unknownId('aff'), gone.id])
        expectProblem(await post({ affiliate_id }), 422, 'affiliate_not_found');
      for (const affiliate_id of ['', 'aff_', unknownId('conv')])
        expect((await post({ affiliate_id })).status).toBe(422);
    });

    it('needs an affiliate that is not rejected or suspended; a pending one is accepted', async () => {
      const rejected = await account.update(await account.affiliate(), { status: 'rejected' });
      const suspended = await account.update(
        await account.update(await account.affiliate(), { status: 'approved' }),
        { status: 'suspended' },
      );
      for (const { id } of [rejected, suspended])
        expectProblem(await post({ affiliate_id: id }), 422, 'affiliate_not_active');
      await account.update(suspended, { status: 'approved' });
      expectStatus(201, await post({ affiliate_id: suspended.id }));
    });

    it('uses the affiliate’s program', async () => {
      const { id } = await account.affiliate({ program_id: 'prog_its-own_1' });
      expect((await account.conversion(id)).program_id).toBe('prog_its-own_1');
    });

    it('returns 404 for a missing one', async () => {
      expectProblem(await api.get(`/v1/conversions/${unknownId('conv')}`), 404, 'not_found');
      expectProblem(await patch(unknownId('conv'), { status: 'approved' }), 404, 'not_found');
    });
  });

  describe('changing a conversion', () => {
    beforeAll(prepare);

    const wayTo: Readonly<Record<ConversionStatus, readonly ConversionStatus[]>> = {
      pending: [],
      approved: ['approved'],
      rejected: ['rejected'],
      refunded: ['approved', 'refunded'],
    };
    const inStatus = async (status: ConversionStatus): Promise<Conversion> => {
      let record = await account.conversion(affiliate.id);
      for (const step of wayTo[status]) record = await account.update(record, { status: step });
      return record;
    };
    const allowed: Readonly<Record<ConversionStatus, readonly ConversionStatus[]>> = {
      pending: ['approved', 'rejected'],
      approved: ['approved', 'rejected', 'refunded'],
      rejected: ['approved', 'rejected'],
      refunded: ['approved', 'refunded'],
    };

    it.each(
      conversionStatuses.flatMap((from) =>
        (['approved', 'rejected', 'refunded'] as const).map((to) => [from, to] as const),
      ),
    )('from %s to %s', async (from, to) => {
      const before = await inStatus(from);
      const response = await patch(before.id, { status: to, reason: 'because' });
      if (!allowed[from].includes(to)) {
        expectProblem(response, 409, 'invalid_transition');
        expect((await api.get(`/v1/conversions/${before.id}`)).body).toEqual(before);
        return;
      }
      const after = expectStatus(200, response);
      if (from === to) return expect(after).toEqual(before);
      const { reason, approved_at, updated_at } = after;
      expect(after).toEqual({
        ...before,
        status: to,
        refunded_amount: to === 'refunded' ? before.sale_amount : 0,
        reason: 'because',
        revision: before.revision + 1,
        updated_at,
        approved_at,
      });
      expect([reason, updated_at > before.updated_at || updated_at === before.updated_at]).toEqual([
        'because',
        true,
      ]);
      if (to === 'approved') expect(approved_at).toBe(updated_at);
      expect((await api.get(`/v1/conversions/${before.id}`)).body).toEqual(after);
    });

    it.each(conversionStatuses)('the status cannot be set to pending, from %s', async (from) => {
      const before = await inStatus(from);
      expectIssues(await patch(before.id, { status: 'pending' }), 'validation_failed', ['/status']);
    });

    it.each(['lost', '', 'APPROVED', null, 1])('%j is not a status', async (status) => {
      expectIssues(await patch((await inStatus('pending')).id, { status }), 'validation_failed', [
        '/status',
      ]);
    });

    it('a reason needs a change that takes one, and has at most 500 characters', async () => {
      const { id } = await inStatus('pending');
      for (const alone of [{}, { metadata: {} }, { sale_amount: 1 }])
        expectIssues(await patch(id, { ...alone, reason: 'why' }), 'validation_failed', [
          '/reason',
        ]);
      expectIssues(
        await patch(id, { status: 'rejected', reason: 'x'.repeat(501) }),
        'validation_failed',
        ['/reason'],
      );
      expect(
        expectStatus(200, await patch(id, { status: 'rejected', reason: 'x'.repeat(500) })).reason,
      ).toBe('x'.repeat(500));
    });

    it('the same status again ignores the reason', async () => {
      const before = expectStatus(
        200,
        await patch((await inStatus('pending')).id, { status: 'approved', reason: 'first' }),
      );
      expect(
        expectStatus(200, await patch(before.id, { status: 'approved', reason: 'second' })),
      ).toEqual(before);
    });

    it('the amount can be changed only while the conversion is pending', async () => {
      const { id } = await inStatus('pending');
      expect(expectStatus(200, await patch(id, { sale_amount: 0 }))).toMatchObject({
        sale_amount: 0,
        revision: 1,
        status: 'pending',
      });
      for (const sale_amount of [-1, 1.5, '1', null, 1_000_000_000_000])
        expectIssues(await patch(id, { sale_amount }), 'validation_failed', ['/sale_amount']);
      for (const status of ['approved', 'rejected', 'refunded'] as const) {
        const response = await patch((await inStatus(status)).id, { sale_amount: 12 });
        expect(expectProblem(response, 409, 'invalid_transition').detail).toMatch(
          / and sale_amount can .*\. .*ecord the sale again under a new external_transaction_id, or /,
        );
      }
      expectProblem(
        await patch((await inStatus('rejected')).id, { status: 'approved', sale_amount: 12 }),
        409,
        'invalid_transition',
      );
    });

    it('one PATCH creates one revision, whatever it changes', async () => {
      const before = await inStatus('pending');
      const after = expectStatus(
        200,
        await patch(before.id, {
          status: 'approved',
          reason: 'ok',
          sale_amount: 12,
          metadata: { a: '1' },
        }),
      );
      expect(after).toMatchObject({
        status: 'approved',
        reason: 'ok',
        sale_amount: 12,
        metadata: { a: '1' },
        revision: 1,
        created_at: before.created_at,
      });
    });

    it('metadata is replaced, and a PATCH without changes creates no revision', async () => {
      const before = expectStatus(201, await post({ metadata: { a: '1', b: '2' } }));
      const after = expectStatus(200, await patch(before.id, { metadata: { c: '3' } }));
      expect(after).toMatchObject({ metadata: { c: '3' }, revision: 1 });
      expect(expectStatus(200, await patch(before.id, { metadata: { c: '3' } }))).toEqual(after);
      expect(
        expectStatus(200, await patch(before.id, { sale_amount: before.sale_amount })),
      ).toEqual(after);
      expect(expectStatus(200, await patch(before.id, { metadata: {} })).metadata).toEqual({});
    });

    it('an empty object is rejected', async () => {
      expectProblem(await patch((await inStatus('pending')).id, {}), 422, 'validation_failed');
    });

    it.each([
      'id',
      'object',
      'affiliate_id',
      'program_id',
      'occurred_at',
      'sale_currency',
      'payable_on',
      'external_transaction_id',
      'payout_id',
      'created_at',
      'updated_at',
      'approved_at',
      'revision',
    ] as const)('%s cannot be changed, not even to its current value', async (field) => {
      const before = await inStatus('pending');
      expectIssues(await patch(before.id, { [field]: before[field] }), 'immutable_field', [
        `/${field}`,
      ]);
      expectIssues(
        await patch(before.id, { [field]: 'other', status: 'approved' }),
        'immutable_field',
        [`/${field}`],
      );
      expect((await api.get(`/v1/conversions/${before.id}`)).body).toEqual(before);
    });

    it('a field that no record has is unknown; together with an immutable one, the code is validation_failed', async () => {
      const { id } = await inStatus('pending');
      expectIssues(await patch(id, { stauts: 'approved' }), 'unknown_field', ['/stauts']);
      expectIssues(await patch(id, { stauts: 'approved', id }), 'validation_failed', [
        '/id',
        '/stauts',
      ]);
      expectIssues(await patch(id, { revision: 1, id }), 'immutable_field', ['/id', '/revision']);
    });
  });
};
