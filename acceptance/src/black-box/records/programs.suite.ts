/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type Program,
  programBody,
  type ServiceFactory,
  TestAccount,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { millisecondAfter } from '../millisecond-after.js';

const percentage = { type: 'percentage', rate_bps: 2000, recurring: 'every', hold_days: 30 };
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const expectReplay = <T>(response: ApiResponse<T>): T => {
  expect([response.status, response.header('idempotent-replayed')]).toEqual([200, 'true']);
  return response.body;
};

/** Tests the creation and change of programs. Their terms have a separate suite. */
export const programsSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
  };
  const post = (over: object = {}, options = {}): Promise<ApiResponse<Program>> =>
    api.post('/v1/programs', programBody(over), options);
  const patch = (id: string, change: object, options = {}): Promise<ApiResponse<Program>> =>
    api.patch(`/v1/programs/${id}`, change, options);
  const get = async (id: string): Promise<Program> =>
    expectStatus(200, await api.get<Program>(`/v1/programs/${id}`));
  const freshId = (): string => uniqueText('prog_it');

  describe('creating a program', () => {
    beforeAll(prepare);

    it('returns 201 with the whole record and its Location', async () => {
      const response = await post({
        id: 'prog_spring',
        name: ' Spring ',
        terms: { type: 'percentage', rate_bps: 2000 },
        affiliate_approval: 'automatic',
        conversion_approval: 'manual',
        minimum_payout: { usd: 5000, JPY: 1 },
        metadata: { team: 'north' },
      });
      const record = expectStatus(201, response);
      expect(record).toEqual({
        id: 'prog_spring',
        object: 'program',
        name: 'Spring',
        status: 'active',
        terms: percentage,
        terms_version: 1,
        affiliate_approval: 'automatic',
        conversion_approval: 'manual',
        minimum_payout: { USD: 5000, JPY: 1 },
        metadata: { team: 'north' },
        created_at: like.instant(),
        updated_at: record.created_at,
        revision: 0,
      });
      expect([response.header('location'), response.header('etag')]).toEqual([
        '/v1/programs/prog_spring',
        '"0"',
      ]);
      expect(await get('prog_spring')).toEqual(record);
    });

    it('needs only a name', async () => {
      expect(expectStatus(201, await post())).toMatchObject({
        id: like.id('prog'),
        terms: null,
        terms_version: 0,
        affiliate_approval: 'manual',
        conversion_approval: 'manual',
        minimum_payout: {},
        metadata: {},
      });
      expectIssues(await api.post('/v1/programs', {}), 'validation_failed', ['/name']);
    });

    it('needs a key with scope admin; reading does not', async () => {
      const [writer, reader] = [await account.withScope('write'), await account.withScope('read')];
      const { id } = expectStatus(201, await post());
      for (const client of [writer, reader]) {
        expectProblem(await client.post('/v1/programs', programBody()), 403, 'insufficient_scope');
        expectProblem(
          await client.patch(`/v1/programs/${id}`, { name: 'x' }),
          403,
          'insufficient_scope',
        );
        expectStatus(200, await client.get(`/v1/programs/${id}`));
      }
    });

    it.each(['prog_', 'spring', `prog_${'a'.repeat(65)}`, 'prog_a b', 'prog_é', 'PROG_a', 7, null])(
      'refuses the id %j',
      async (id) => expectIssues(await post({ id }), 'validation_failed', ['/id']),
    );

    it('accepts a chosen id of up to 64 letters, digits, _ and -', async () => {
      for (const id of ['prog_x', `prog_${'A'.repeat(64)}`, 'prog_0-_Z'])
        expect(expectStatus(201, await post({ id })).id).toBe(id);
    });

    it.each<[object, string]>([
      [{ name: ' ' }, '/name'],
      [{ affiliate_approval: 'sometimes' }, '/affiliate_approval'],
      [{ conversion_approval: true }, '/conversion_approval'],
      [{ minimum_payout: { USD: 0 } }, '/minimum_payout/USD'],
      [{ minimum_payout: { USD: 1_000_000_000_000 } }, '/minimum_payout/USD'],
      [{ minimum_payout: { USD: 1, usd: 2 } }, '/minimum_payout'],
      [{ minimum_payout: { XXX: 1 } }, '/minimum_payout/XXX'],
      [{ minimum_payout: { xau: 1 } }, '/minimum_payout/xau'],
      [{ minimum_payout: null }, '/minimum_payout'],
      [{ metadata: { k: 1 } }, '/metadata/k'],
    ])('refuses %j', async (over, path) =>
      expectIssues(await post(over), 'validation_failed', [path]),
    );

    it('refuses fields that only a change may have', async () => {
      for (const field of ['status', 'reason', 'terms_version', 'revision'])
        expectIssues(await post({ [field]: 'active' }), 'unknown_field', [`/${field}`]);
    });

    it('with the same id and fields again returns the program as it is now', async () => {
      const id = freshId();
      const body = { id, terms: percentage, minimum_payout: { USD: 1, EUR: 2 } };
      expectStatus(201, await post(body));
      const changed = expectStatus(200, await patch(id, { name: 'Other', terms: null }));
      const again = { id, terms: { type: 'percentage', rate_bps: 2000 } };
      const replay = await post({ ...again, minimum_payout: { eur: 2, usd: 1 } });
      expect(expectReplay(replay)).toEqual(changed);
      expect(replay.header('etag')).toBe('"1"');
    });

    it('with the same id and other fields is refused, naming the program', async () => {
      const id = freshId();
      expectStatus(201, await post({ id }));
      for (const over of [{ name: 'Other' }, { terms: percentage }, { metadata: { a: '1' } }]) {
        const problem = expectProblem(await post({ id, ...over }), 409, 'program_exists');
        expect(problem.program_id).toBe(id);
        const [field] = Object.keys(over);
        expect(problem.errors).toMatchObject([{ path: `/${field}`, code: 'differs' }]);
      }
    });

    it('that its first affiliate created is refused, even with the same fields', async () => {
      const id = freshId();
      await account.affiliate({ program_id: id });
      expect(await get(id)).toMatchObject({ name: id, terms: null, terms_version: 0 });
      const problem = expectProblem(await post({ id, name: id }), 409, 'program_exists');
      expect(problem.program_id).toBe(id);
      expect(expectStatus(200, await patch(id, { name: 'Named' })).name).toBe('Named');
    });

    it('a hundred times at once creates one program', async () => {
      const id = freshId();
      const responses = await Promise.all(Array.from({ length: 100 }, () => post({ id })));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(99).fill(200),
        201,
      ]);
      expect((await get(id)).revision).toBe(0);
    });

    it('is idempotent by key without an id, and the key is ignored with one', async () => {
      const key = keyed(uniqueText('key'));
      const made = expectStatus(201, await post({ name: 'Keyed' }, key));
      expect(expectReplay(await post({ name: ' Keyed ' }, key))).toEqual(made);
      expectProblem(await post({ name: 'Other' }, key), 422, 'idempotency_key_reused');
      const other = expectStatus(201, await post({ id: freshId(), name: 'Keyed' }, key));
      expect(other.id).not.toBe(made.id);
    });
  });

  describe('changing a program', () => {
    beforeAll(prepare);

    const whole = {
      terms: percentage,
      minimum_payout: { USD: 5000 },
      metadata: { a: '1' },
    };

    it.each<[object, object]>([
      [{ name: ' New ' }, { name: 'New' }],
      [{ status: 'archived', reason: 'over' }, { status: 'archived' }],
      [{ terms: null }, { terms: null, terms_version: 2 }],
      [{ affiliate_approval: 'automatic' }, { affiliate_approval: 'automatic' }],
      [{ conversion_approval: 'automatic' }, { conversion_approval: 'automatic' }],
      [{ minimum_payout: { eur: 7 } }, { minimum_payout: { EUR: 7 } }],
      [{ minimum_payout: {} }, { minimum_payout: {} }],
      [{ metadata: {} }, { metadata: {} }],
      [
        { name: 'All', status: 'archived', terms: null, metadata: {}, reason: 'all at once' },
        { name: 'All', status: 'archived', terms: null, terms_version: 2, metadata: {} },
      ],
    ])('%j creates one revision', async (change, changed) => {
      const before = expectStatus(201, await post(whole));
      const after = expectStatus(200, await patch(before.id, change));
      const { updated_at } = after;
      expect(after).toEqual({ ...before, ...changed, updated_at, revision: 1 });
      expect(await get(before.id)).toEqual(after);
    });

    it('to its current values creates no revision', async () => {
      const before = expectStatus(201, await post(whole));
      for (const change of [
        { name: ` ${before.name} ` },
        { status: 'active', reason: 'again' },
        { terms: { type: 'percentage', rate_bps: 2000 } },
        { minimum_payout: { usd: 5000 } },
        { metadata: { a: '1' } },
        { ...whole, affiliate_approval: 'manual', conversion_approval: 'manual' },
      ])
        expect(expectStatus(200, await patch(before.id, change))).toEqual(before);
    });

    it('archives it and activates it again', async () => {
      const { id } = expectStatus(201, await post());
      for (const status of ['archived', 'active', 'archived'])
        expect(expectStatus(200, await patch(id, { status })).status).toBe(status);
      expect((await get(id)).revision).toBe(3);
      for (const status of ['deleted', '', null])
        expectIssues(await patch(id, { status }), 'validation_failed', ['/status']);
    });

    it('needs a change: a reason alone is not one', async () => {
      const { id } = expectStatus(201, await post());
      expectProblem(await patch(id, {}), 422, 'validation_failed');
      expectIssues(await patch(id, { reason: 'why' }), 'validation_failed', ['/reason']);
      expectIssues(await patch(id, { name: 'x', reason: 'x'.repeat(501) }), 'validation_failed', [
        '/reason',
      ]);
      expectIssues(await patch(id, { nmae: 'x' }), 'unknown_field', ['/nmae']);
    });

    it.each(['id', 'object', 'terms_version', 'created_at', 'updated_at', 'revision'] as const)(
      '%s cannot be changed',
      async (field) => {
        const before = expectStatus(201, await post());
        expectIssues(await patch(before.id, { [field]: before[field] }), 'immutable_field', [
          `/${field}`,
        ]);
      },
    );

    it('respects If-Match', async () => {
      const { id } = expectStatus(201, await post());
      const ifMatch = { headers: { 'if-match': '"0"' } };
      expectStatus(200, await patch(id, { name: 'First' }, ifMatch));
      expectProblem(await patch(id, { name: 'Second' }, ifMatch), 412, 'revision_mismatch');
      expect((await get(id)).name).toBe('First');
    });

    it('loses none of a hundred concurrent changes', async () => {
      const { id } = expectStatus(201, await post());
      const changes = Array.from({ length: 100 }, (_, n) => patch(id, { name: `Name ${n}` }));
      const responses = await Promise.all(changes);
      expect(
        responses.map((response) => expectStatus(200, response).revision).toSorted((a, b) => a - b),
      ).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    });

    it('returns 404 for a missing one, whatever its id', async () => {
      for (const id of [unknownId('prog'), 'prog_missing', 'prog_a.b', 'spring', 'aff_1'])
        for (const response of [
          await api.get(`/v1/programs/${id}`),
          await patch(id, { name: 'x' }),
        ])
          expectProblem(response, 404, 'not_found');
    });
  });

  describe('an archived program', () => {
    beforeAll(prepare);

    it('accepts no new affiliates until it is active again', async () => {
      const { id } = expectStatus(201, await post());
      expectStatus(200, await patch(id, { status: 'archived' }));
      const body = affiliateBody({ program_id: id });
      expectProblem(await api.post('/v1/affiliates', body), 422, 'program_not_active');
      expectStatus(200, await patch(id, { status: 'active' }));
      expectStatus(201, await api.post('/v1/affiliates', body));
    });

    it('accepts no new conversions; existing ones continue', async () => {
      const { id } = expectStatus(201, await post());
      const affiliate = await account.affiliate({ program_id: id });
      const body = conversionBody(affiliate.id, { external_transaction_id: uniqueText('sale') });
      const sale = expectStatus(201, await api.post<Conversion>('/v1/conversions', body));
      expectStatus(200, await patch(id, { status: 'archived' }));

      const other = conversionBody(affiliate.id);
      expectProblem(await api.post('/v1/conversions', other), 422, 'program_not_active');
      expect(expectReplay(await api.post<Conversion>('/v1/conversions', body)).id).toBe(sale.id);
      for (const status of ['approved', 'refunded'])
        expect((await account.update(sale, { status })).status).toBe(status);
      expect((await account.update(affiliate, { name: 'New' })).name).toBe('New');

      expectStatus(200, await patch(id, { status: 'active' }));
      expectStatus(201, await api.post('/v1/conversions', other));
    });

    it('is checked after the affiliate, and after a repeated request', async () => {
      const { id } = expectStatus(201, await post());
      const key = keyed(uniqueText('key'));
      const body = affiliateBody({ program_id: id });
      const affiliate = expectStatus(201, await api.post<Affiliate>('/v1/affiliates', body, key));
      expectStatus(200, await patch(id, { status: 'archived' }));
      expect(expectReplay(await api.post<Affiliate>('/v1/affiliates', body, key))).toEqual(
        affiliate,
      );
      await account.update(affiliate, { status: 'rejected' });
      expectProblem(
        await api.post('/v1/conversions', conversionBody(affiliate.id)),
        422,
        'affiliate_not_active',
      );
    });

    it('refuses what is sent after the response that archived it', async () => {
      const { id } = expectStatus(201, await post());
      const { id: affiliateId } = await account.affiliate({ program_id: id });
      for (let round = 0; round < 25; round++)
        for (const [status, expected] of [
          ['archived', 422],
          ['active', 201],
        ] as const) {
          expectStatus(200, await patch(id, { status }));
          const response = await api.post('/v1/conversions', conversionBody(affiliateId));
          expect([round, status, response.status]).toEqual([round, status, expected]);
        }
    });
  });

  describe('listing programs', () => {
    itReads(service)(
      'shows every one, including those that a first affiliate created, by status',
      async () => {
        const lister = await TestAccount.open(await service());
        const made: Program[] = [];
        for (const id of ['prog_b', 'prog_a', 'prog_c']) {
          const program = await lister.api.post<Program>('/v1/programs', programBody({ id }));
          made.push(expectStatus(201, program));
          await millisecondAfter(program.body);
        }
        expectStatus(201, await lister.api.post('/v1/affiliates', affiliateBody()));
        const archived = expectStatus(
          200,
          await lister.api.patch<Program>('/v1/programs/prog_a', { status: 'archived' }),
        );
        const listed = await lister.all<Program>('/v1/programs', { sort: 'created_at', limit: 2 });
        expect(listed.map(({ id }) => id)).toEqual(['prog_b', 'prog_a', 'prog_c', 'prog_spring']);
        expect([listed[0], listed[1], listed[2]]).toEqual([made[0], archived, made[2]]);
        expect(await lister.all('/v1/programs', { status: 'archived' })).toEqual([archived]);
        expect(
          (await lister.all<Program>('/v1/programs', { status: 'active' })).map(({ id }) => id),
        ).toEqual(['prog_spring', 'prog_c', 'prog_b']);
        for (const query of [{ status: 'gone' }, { name: 'x' }])
          expect((await lister.api.get('/v1/programs', { query })).status).toBe(422);
      },
    );
  });
};
