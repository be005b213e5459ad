/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type ApiResponse,
  type Change,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

const percentage = { type: 'percentage', rate_bps: 2500 };
const stored = { ...percentage, recurring: 'every', hold_days: null };

/** A change to each field that needs scope admin. */
const changes: readonly object[] = [
  { commission: percentage },
  { commission: null },
  { payout_email: 'pay@example.com' },
  { payout_hold: true },
  { payout_hold: false },
  { payout_hold_reason: null },
];

/** Tests an affiliate's own terms, its recipient and its hold. */
export const affiliateMoneySuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let admin: ApiClient;
  let writer: ApiClient;
  let reader: ApiClient;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    admin ??= await account.withScope('admin');
    writer ??= await account.withScope('write');
    reader ??= await account.withScope('read');
  };
  const patch = (id: string, change: object, options = {}): Promise<ApiResponse<Affiliate>> =>
    admin.patch(`/v1/affiliates/${id}`, change, options);
  const get = async (id: string): Promise<Affiliate> =>
    expectStatus(200, await reader.get<Affiliate>(`/v1/affiliates/${id}`));

  describe('the money fields of an affiliate', () => {
    beforeAll(prepare);

    it.each<[object, object]>([
      [{ commission: percentage }, { commission: stored, commission_version: 1 }],
      [{ payout_email: 'Pay@Example.com' }, { payout_email: 'Pay@Example.com' }],
      [{ payout_hold: true }, { payout_hold: true }],
      [
        { payout_hold: true, payout_hold_reason: 'bank details' },
        { payout_hold: true, payout_hold_reason: 'bank details' },
      ],
      [
        {
          name: 'All',
          status: 'approved',
          reason: 'known',
          commission: { type: 'flat', amounts: { usd: 500 }, hold_days: 0 },
          payout_email: 'pay@example.com',
          payout_hold: true,
        },
        {
          name: 'All',
          status: 'approved',
          reason: 'known',
          commission: { type: 'flat', amounts: { USD: 500 }, recurring: 'every', hold_days: 0 },
          commission_version: 1,
          payout_email: 'pay@example.com',
          payout_hold: true,
        },
      ],
    ])('are changed by %j in one revision', async (change, changed) => {
      const before = await account.affiliate();
      const after = expectStatus(200, await patch(before.id, change));
      const { updated_at, approved_at } = after;
      expect(after).toEqual({ ...before, ...changed, updated_at, approved_at, revision: 1 });
      expect(await get(before.id)).toEqual(after);
    });

    it('are not fields of a new affiliate', async () => {
      for (const change of changes)
        expectIssues(
          await admin.post('/v1/affiliates', affiliateBody(change)),
          'unknown_field',
          Object.keys(change).map((field) => `/${field}`),
        );
    });

    it.each<[object, string]>([
      [{ commission: {} }, '/commission/type'],
      [{ commission: { type: 'percentage', rate_bps: 12.5 } }, '/commission/rate_bps'],
      [{ commission: { ...percentage, hold_days: 366 } }, '/commission/hold_days'],
      [{ commission: 'percentage' }, '/commission'],
      [{ commission: { ...percentage, caps: { XAU: 1 } } }, '/commission/caps/XAU'],
      [{ payout_email: 'nobody' }, '/payout_email'],
      [{ payout_email: '' }, '/payout_email'],
      [{ payout_hold: 'yes' }, '/payout_hold'],
      [{ payout_hold: null }, '/payout_hold'],
      [{ payout_hold: true, payout_hold_reason: 'x'.repeat(501) }, '/payout_hold_reason'],
      [{ payout_hold: true, payout_hold_reason: 7 }, '/payout_hold_reason'],
    ])('refuse %j', async (change, path) => {
      const { id } = await account.affiliate();
      expectIssues(await patch(id, change), 'validation_failed', [path]);
      expect((await get(id)).revision).toBe(0);
    });

    it('refuse an unknown field of terms', async () => {
      const { id } = await account.affiliate();
      const commission = { ...percentage, tiers: [] };
      expectIssues(await patch(id, { commission }), 'unknown_field', ['/commission/tiers']);
    });

    it('create no revision when they stay the same', async () => {
      const { id } = await account.affiliate();
      expect(
        expectStatus(
          200,
          await patch(id, { commission: null, payout_email: null, payout_hold: false }),
        ).revision,
      ).toBe(0);
      const change = { commission: percentage, payout_email: 'a@b.c', payout_hold: true };
      const changed = expectStatus(200, await patch(id, change));
      const { commission, payout_email, payout_hold_reason } = changed;
      for (const again of [change, { commission, payout_email, payout_hold_reason }])
        expect(expectStatus(200, await patch(id, again))).toEqual(changed);
    });

    it('are in the history and as of a position', async () => {
      const { id } = await account.affiliate();
      const set = { payout_email: 'a@b.c', payout_hold: true, payout_hold_reason: 'why' };
      const then = await patch(id, { commission: percentage, ...set });
      const now = expectStatus(200, await patch(id, { commission: null, payout_hold: false }));
      const path = `/v1/affiliates/${id}`;
      const history = expectStatus(200, await reader.get<Page<Change>>(`${path}/history`));
      expect(
        history.data.slice(0, 2).map(({ changes: made, reason }) => ({ made, reason })),
      ).toEqual([
        {
          made: [
            { path: '/commission', before: stored, after: null },
            { path: '/commission_version', before: 1, after: 2 },
            { path: '/payout_hold', before: true, after: false },
            { path: '/payout_hold_reason', before: 'why', after: null },
          ],
          reason: null,
        },
        {
          made: [
            { path: '/commission', before: null, after: stored },
            { path: '/commission_version', before: 0, after: 1 },
            { path: '/payout_email', before: null, after: 'a@b.c' },
            { path: '/payout_hold', before: false, after: true },
            { path: '/payout_hold_reason', before: null, after: 'why' },
          ],
          reason: null,
        },
      ]);
      const query = { as_of: then.header('refledger-position') ?? '' };
      expect(expectStatus(200, await reader.get(path, { query }))).toEqual(then.body);
      expect(await get(id)).toEqual(now);
    });

    itReads(service)('are in the list', async () => {
      const { id, email } = await account.affiliate();
      const changed = expectStatus(200, await patch(id, { commission: percentage }));
      expect(await account.all('/v1/affiliates', { email })).toEqual([changed]);
    });

    it('respect If-Match', async () => {
      const { id } = await account.affiliate();
      const ifMatch = { headers: { 'if-match': '"0"' } };
      expectStatus(200, await patch(id, { payout_hold: true }, ifMatch));
      expectProblem(await patch(id, { payout_hold: false }, ifMatch), 412, 'revision_mismatch');
      expect((await get(id)).payout_hold).toBe(true);
    });
  });

  describe('the scope for the money fields of an affiliate', () => {
    beforeAll(prepare);

    it.each(changes)('is admin: %j', async (change) => {
      const before = await account.affiliate();
      for (const client of [writer, reader])
        for (const body of [change, { name: 'New', ...change }]) {
          const response = await client.patch(`/v1/affiliates/${before.id}`, body);
          expectProblem(response, 403, 'insufficient_scope');
        }
      expect(await get(before.id)).toEqual(before);
      expectStatus(200, await patch(before.id, change));
    });

    it('is named in the error, with the fields that need it', async () => {
      const { id } = await account.affiliate();
      const body = { name: 'New', payout_hold: true, commission: null };
      const response = await writer.patch(`/v1/affiliates/${id}`, body);
      const { detail } = expectProblem(response, 403, 'insufficient_scope');
      expect(detail).toBe(
        'A request with commission, payout_hold needs scope admin, but the key has scope write. Use a key with scope admin.',
      );
    });

    it('is not needed for the other fields, nor to read', async () => {
      const { id } = await account.affiliate();
      expectStatus(200, await patch(id, { commission: percentage, payout_hold: true }));
      const response = await writer.patch<Affiliate>(`/v1/affiliates/${id}`, { name: 'New' });
      expect(expectStatus(200, response)).toMatchObject({ commission: stored, payout_hold: true });
      expect(await get(id)).toEqual(response.body);
    });

    it('is checked after the shape of the request, and before the record', async () => {
      const [present, absent] = [(await account.affiliate()).id, unknownId('aff')];
      const stranger = await (await TestAccount.open(await service())).affiliate();
      for (const id of [present, absent, stranger.id, 'aff_1']) {
        const send = (body: object): Promise<ApiResponse> =>
          writer.patch(`/v1/affiliates/${id}`, body, { headers: { 'if-match': '"9"' } });
        expectIssues(await send({ payout_hold: 'yes' }), 'validation_failed', ['/payout_hold']);
        expectIssues(await send({ payout_hold: true, revision: 1 }), 'immutable_field', [
          '/revision',
        ]);
        expectProblem(await send({ payout_hold: true }), 403, 'insufficient_scope');
        expectProblem(await send({ payout_hold_reason: 'why' }), 403, 'insufficient_scope');
      }
      for (const id of [absent, stranger.id])
        expectProblem(await patch(id, { payout_hold: true }), 404, 'not_found');
    });
  });

  describe('an affiliate’s own terms', () => {
    beforeAll(prepare);

    it('are replaced as a whole, and their changes are counted', async () => {
      const { id } = await account.affiliate();
      const flat = { type: 'flat', amounts: { USD: 5 } };
      const steps: readonly [object | null, object | null, number][] = [
        [{ ...percentage, caps: { usd: 9 } }, { ...stored, caps: { USD: 9 } }, 1],
        [percentage, stored, 2],
        [{ ...percentage, recurring: 'every', hold_days: null }, stored, 2],
        [{ ...percentage, hold_days: 7 }, { ...stored, hold_days: 7 }, 3],
        [flat, { ...flat, recurring: 'every', hold_days: null }, 4],
        [null, null, 5],
        [null, null, 5],
        [percentage, stored, 6],
      ];
      for (const [commission, shown, commission_version] of steps)
        expect(expectStatus(200, await patch(id, { commission }))).toMatchObject({
          commission: shown,
          commission_version,
        });
    });

    it('lose none of a hundred concurrent changes', async () => {
      const { id } = await account.affiliate();
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          patch(id, { commission: { ...percentage, rate_bps: n } }),
        ),
      );
      expect(
        responses
          .map((response) => expectStatus(200, response).commission_version)
          .toSorted((a, b) => a - b),
      ).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    });
  });

  describe('an affiliate’s other recipient', () => {
    beforeAll(prepare);

    it('need not be unique, may be the email of another affiliate, and leaves the email unchanged', async () => {
      const [ada, bob] = [await account.affiliate(), await account.affiliate()];
      for (const { id, email } of [ada, bob]) {
        const changed = expectStatus(200, await patch(id, { payout_email: ada.email }));
        expect(changed).toMatchObject({ email, payout_email: ada.email });
      }
      const email = uniqueEmail();
      const moved = expectStatus(200, await patch(ada.id, { email, payout_email: null }));
      expect(moved).toMatchObject({ email, payout_email: null });
      expect(await get(bob.id)).toMatchObject({ payout_email: ada.email });
    });
  });

  describe('a payout hold', () => {
    beforeAll(prepare);

    it('keeps its reason until it is lifted, whatever the status', async () => {
      const { id } = await account.affiliate();
      const steps: readonly [object, boolean, string | null][] = [
        [{ payout_hold: true, payout_hold_reason: 'bank' }, true, 'bank'],
        [{ status: 'approved', reason: 'known' }, true, 'bank'],
        [{ payout_hold: true }, true, 'bank'],
        [{ payout_hold_reason: 'tax' }, true, 'tax'],
        [{ payout_hold_reason: null }, true, null],
        [{ payout_hold_reason: '' }, true, ''],
        [{ status: 'suspended' }, true, ''],
        [{ payout_hold: false }, false, null],
        [{ payout_hold: true }, true, null],
        [{ payout_hold: false, payout_hold_reason: null }, false, null],
      ];
      for (const [change, payout_hold, payout_hold_reason] of steps)
        expect(expectStatus(200, await patch(id, change))).toMatchObject({
          payout_hold,
          payout_hold_reason,
        });
    });

    it('is required if a reason is given', async () => {
      const { id } = await account.affiliate();
      const refuse = async (change: object): Promise<void> =>
        expectIssues(await patch(id, change), 'validation_failed', ['/payout_hold_reason']);
      await refuse({ payout_hold_reason: 'why' });
      await refuse({ payout_hold: false, payout_hold_reason: 'why' });
      expectStatus(200, await patch(id, { payout_hold: true, payout_hold_reason: 'why' }));
      await refuse({ name: 'New', payout_hold: false, payout_hold_reason: 'why' });
      expect(await get(id)).toMatchObject({ revision: 1, payout_hold_reason: 'why' });
    });

    it('ends when the affiliate is deleted', async () => {
      const { id } = await account.affiliate();
      expectStatus(200, await patch(id, { payout_hold: true }));
      expectStatus(204, await writer.delete(`/v1/affiliates/${id}`));
      expectProblem(await patch(id, { payout_hold: false }), 404, 'not_found');
    });
  });
};
