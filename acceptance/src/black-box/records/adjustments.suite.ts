/// <reference types="jest" />
import {
  type Adjustment,
  adjustmentBody,
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { daysAfter } from '../days-after.js';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { millisecondAfter } from '../millisecond-after.js';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const expectReplay = <T>(response: ApiResponse<T>): T => {
  expect([response.status, response.header('idempotent-replayed')]).toEqual([200, 'true']);
  return response.body;
};

/** Tests the creation and the lists of adjustments. */
export const adjustmentsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };
  const post = (over: object = {}, options = {}): Promise<ApiResponse<Adjustment>> =>
    api.post('/v1/adjustments', adjustmentBody(affiliate.id, over), options);
  const get = async (id: string): Promise<Adjustment> =>
    expectStatus(200, await api.get<Adjustment>(`/v1/adjustments/${id}`));

  describe('creating an adjustment', () => {
    beforeAll(prepare);

    it('returns 201 with the whole record and its Location', async () => {
      const response = await post({
        currency: 'usd',
        amount: -1,
        description: ' Fee: 1 ¢ 🎈 ',
        external_id: 'whole-record',
        metadata: { team: 'north' },
      });
      const record = expectStatus(201, response);
      expect(record).toEqual({
        id: like.id('adj'),
        object: 'adjustment',
        affiliate_id: affiliate.id,
        program_id: affiliate.program_id,
        status: 'posted',
        currency: 'USD',
        amount: -1,
        description: ' Fee: 1 ¢ 🎈 ',
        payable_on: record.created_at.slice(0, 10),
        external_id: 'whole-record',
        metadata: { team: 'north' },
        reason: null,
        created_at: like.instant(),
        updated_at: record.created_at,
        revision: 0,
      });
      expect([response.header('location'), response.header('etag')]).toEqual([
        `/v1/adjustments/${record.id}`,
        '"0"',
      ]);
      expect(await get(record.id)).toEqual(record);
    });

    it('needs an affiliate, a currency, an amount and a description', async () => {
      expectIssues(await api.post('/v1/adjustments', {}), 'validation_failed', [
        '/affiliate_id',
        '/amount',
        '/currency',
        '/description',
      ]);
      const { external_id, metadata } = expectStatus(201, await post());
      expect([external_id, metadata]).toEqual([null, {}]);
    });

    it('needs a key of scope admin; reading does not', async () => {
      const { id } = expectStatus(201, await post());
      for (const scope of ['write', 'read'] as const) {
        const client = await account.withScope(scope);
        for (const refused of [
          await client.post('/v1/adjustments', adjustmentBody(affiliate.id)),
          await client.patch(`/v1/adjustments/${id}`, { metadata: {} }),
        ])
          expectProblem(refused, 403, 'insufficient_scope');
        for (const path of [id, `${id}/history`])
          expectStatus(200, await client.get(`/v1/adjustments/${path}`));
      }
    });

    it.each([1, -1, 999_999_999_999, -999_999_999_999])('accepts the amount %d', async (amount) => {
      expect(expectStatus(201, await post({ amount })).amount).toBe(amount);
    });

    it.each<[object, string]>([
      [{ amount: 0 }, '/amount'],
      [{ amount: 1_000_000_000_000 }, '/amount'],
      [{ amount: -1_000_000_000_000 }, '/amount'],
      [{ amount: '1' }, '/amount'],
      [{ amount: null }, '/amount'],
      [{ currency: 'XXX' }, '/currency'],
      [{ currency: 'XAU' }, '/currency'],
      [{ description: '' }, '/description'],
      [{ description: 'x'.repeat(501) }, '/description'],
      [{ description: 'a\nb' }, '/description'],
      [{ payable_on: '2026-02-30' }, '/payable_on'],
      [{ payable_on: '2026-01-31T00:00:00Z' }, '/payable_on'],
      [{ payable_on: null }, '/payable_on'],
      [{ external_id: '' }, '/external_id'],
      [{ external_id: 'x'.repeat(256) }, '/external_id'],
      [{ metadata: { k: 1 } }, '/metadata/k'],
    ])('refuses %j', async (over, path) =>
      expectIssues(await post(over), 'validation_failed', [path]),
    );

    it('refuses minus zero, and a fraction with a message that mentions minor units', async () => {
      const body = JSON.stringify(adjustmentBody(affiliate.id, { amount: 7_777 }));
      const headers = { 'content-type': 'application/json' };
      const minusZero = { body: body.replace('7777', '-0'), headers };
      expectIssues(await api.send('POST', '/v1/adjustments', minusZero), 'validation_failed', [
        '/amount',
      ]);
      const response = await post({ amount: -49.5 });
      expectIssues(response, 'validation_failed', ['/amount']);
      expect(response.text).toContain('minor units');
    });

    it('refuses fields that only a change or a record may have', async () => {
      for (const field of ['status', 'reason', 'program_id', 'revision'])
        expectIssues(await post({ [field]: 'posted' }), 'unknown_field', [`/${field}`]);
    });

    it('accepts a day that is at most 366 days ahead or back', async () => {
      const now = new Date().toISOString();
      // not the last day, in case a day starts in between
      for (const payable_on of [daysAfter(now, 365), daysAfter(now, -365)])
        expect(expectStatus(201, await post({ payable_on })).payable_on).toBe(payable_on);
      for (const payable_on of [daysAfter(now, 368), daysAfter(now, -367), '9999-12-31']) {
        const refused = await post({ payable_on, affiliate_id: unknownId('aff') });
        expectIssues(refused, 'validation_failed', ['/payable_on']);
        expect(refused.text).toContain('366 days');
      }
    });

    it('is possible for an affiliate of any status, and for a deleted one', async () => {
      const ada = await account.affiliate({ program_id: 'prog_its-own' });
      const made = [await account.adjustment(ada.id)];
      for (const status of ['approved', 'suspended']) {
        await account.update(ada, { status });
        made.push(await account.adjustment(ada.id));
      }
      expectStatus(204, await api.delete(`/v1/affiliates/${ada.id}`));
      made.push(await account.adjustment(ada.id));
      for (const { affiliate_id, program_id } of made)
        expect([affiliate_id, program_id]).toEqual([ada.id, 'prog_its-own']);
      const rejected = await account.update(await account.affiliate(), { status: 'rejected' });
      await account.adjustment(rejected.id);
    });

    it('is possible in an archived program', async () => {
      const program = await account.program();
      const { id } = await account.affiliate({ program_id: program.id });
      await account.update(program, { status: 'archived' });
      expect((await account.adjustment(id)).program_id).toBe(program.id);
    });

    it('needs an affiliate that the account knows', async () => {
      for (const affiliate_id of [unknownId('aff'), 'aff_', unknownId('conv')])
        expectProblem(await post({ affiliate_id }), 422, 'affiliate_not_found');
      expectIssues(await post({ affiliate_id: '' }), 'validation_failed', ['/affiliate_id']);
    });
  });

  describe('an adjustment that is sent again', () => {
    beforeAll(prepare);

    it('with the same id and fields is the one that exists, as it is now', async () => {
      const body = { external_id: uniqueText('bonus'), metadata: { a: '1', b: '2' } };
      const made = expectStatus(201, await post(body));
      const voided = await account.update(made, { status: 'voided', reason: 'twice' });
      const replay = await post({ ...body, currency: 'uSd', metadata: { b: '2', a: '1' } });
      expect(expectReplay(replay)).toEqual(voided);
      expect(replay.header('etag')).toBe('"1"');
      expect(expectReplay(await post(body, keyed(uniqueText('key')))).id).toBe(made.id);
    });

    it('with the same id and other fields is refused, naming the adjustment', async () => {
      const external_id = uniqueText('bonus');
      const { id, payable_on } = expectStatus(201, await post({ external_id }));
      for (const over of [
        { amount: 1 },
        { currency: 'EUR' },
        { description: 'Other' },
        { metadata: { a: '1' } },
        { affiliate_id: unknownId('aff') },
        // the first request did not send this day: it is the default
        { payable_on },
        { payable_on: '9999-12-31' },
      ]) {
        const problem = expectProblem(
          await post({ external_id, ...over }),
          409,
          'adjustment_exists',
        );
        expect(problem.adjustment_id).toBe(id);
        const [field] = Object.keys(over);
        expect(problem.errors).toMatchObject([{ path: `/${field}`, code: 'differs' }]);
      }
    });

    it('is idempotent by key, and the key is ignored with an id', async () => {
      const key = keyed(uniqueText('key'));
      const payable_on = daysAfter(new Date().toISOString(), 7);
      const made = expectStatus(201, await post({ payable_on }, key));
      expect(expectReplay(await post({ payable_on }, key))).toEqual(made);
      for (const over of [{}, { payable_on, amount: 1 }])
        expectProblem(await post(over, key), 422, 'idempotency_key_reused');
      const other = expectStatus(201, await post({ external_id: uniqueText('bonus') }, key));
      expect(other.id).not.toBe(made.id);
    });

    it('is compared before its affiliate is looked up', async () => {
      const ada = await account.affiliate();
      const body = { affiliate_id: ada.id, external_id: uniqueText('bonus') };
      const made = expectStatus(201, await post(body));
      expectStatus(204, await api.delete(`/v1/affiliates/${ada.id}`));
      expect(expectReplay(await post(body))).toEqual(made);
    });

    it('a hundred times at once creates one adjustment', async () => {
      const body = { external_id: uniqueText('bonus') };
      const responses = await Promise.all(Array.from({ length: 100 }, () => post(body)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(99).fill(200),
        201,
      ]);
      expect(new Set(responses.map((response) => response.body.id)).size).toBe(1);
      expect((await get(responses[0]?.body.id ?? '')).revision).toBe(0);
    });
  });

  describe('listing adjustments', () => {
    itReads(service)('shows every one, at once, by each filter and by all of them', async () => {
      const lister = await TestAccount.open(await service());
      const ada = await lister.affiliate({ program_id: 'prog_a' });
      const bob = await lister.affiliate({ program_id: 'prog_b' });
      const first = await lister.adjustment(ada.id, { currency: 'USD' });
      await millisecondAfter(first);
      const second = await lister.adjustment(ada.id, { currency: 'EUR' });
      await millisecondAfter(second);
      const third = await lister.adjustment(bob.id, { currency: 'EUR', external_id: 'bonus' });
      const voided = await lister.update(second, { status: 'voided', reason: 'twice' });
      const list = (query: Readonly<Record<string, string | number>>): Promise<Adjustment[]> =>
        lister.all('/v1/adjustments', { sort: 'created_at', limit: 2, ...query });

      expect(await list({})).toEqual([first, voided, third]);
      expect(await list({ affiliate_id: ada.id })).toEqual([first, voided]);
      expect(await list({ program_id: 'prog_b' })).toEqual([third]);
      expect(await list({ currency: 'eur' })).toEqual([voided, third]);
      expect(await list({ status: 'voided' })).toEqual([voided]);
      expect(await list({ status: 'posted' })).toEqual([first, third]);
      const all = { affiliate_id: ada.id, program_id: 'prog_a', currency: 'EUR', status: 'voided' };
      expect(await list(all)).toEqual([voided]);
      expect(await list({ ...all, program_id: 'prog_b' })).toEqual([]);
      // a withdrawn currency, and one that only records of earlier releases have
      for (const currency of ['BGN', 'XAU']) expect(await list({ currency })).toEqual([]);
      for (const query of [{ status: 'gone' }, { currency: 'XXX' }, { external_id: 'bonus' }])
        expect((await lister.api.get('/v1/adjustments', { query })).status).toBe(422);
    });
  });
};
