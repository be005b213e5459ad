/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type AffiliateStatus,
  affiliateStatuses,
  type ApiResponse,
  type ApiClient,
  type Change,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { itReads } from '../it-reads.js';
import { millisecondAfter } from '../millisecond-after.js';

/** Tests the creation, change and deletion of affiliates. Their emails have a separate suite. */
export const affiliatesSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
  };
  const post = (over: object = {}): Promise<ApiResponse<Affiliate>> =>
    api.post('/v1/affiliates', affiliateBody(over));
  const patch = (id: string, change: object): Promise<ApiResponse<Affiliate>> =>
    api.patch(`/v1/affiliates/${id}`, change);

  describe('creating an affiliate', () => {
    beforeAll(prepare);

    it('returns 201 with the whole record and its Location', async () => {
      const email = uniqueEmail();
      const response = await post({ email, metadata: { tier: 'gold' } });
      const record = expectStatus(201, response);
      expect(record).toEqual({
        id: like.id('aff'),
        object: 'affiliate',
        email,
        external_id: null,
        name: 'Ada Lovelace',
        program_id: 'prog_spring',
        status: 'pending',
        commission: null,
        commission_version: 0,
        payout_email: null,
        payout_hold: false,
        payout_hold_reason: null,
        metadata: { tier: 'gold' },
        reason: null,
        created_at: like.instant(),
        updated_at: record.created_at,
        approved_at: null,
        revision: 0,
      });
      expect(response.header('location')).toMatch(new RegExp(`/v1/affiliates/${record.id}$`));
      expect((await api.get(`/v1/affiliates/${record.id}`)).body).toEqual(record);
    });

    it('keeps values that look sealed as they were sent, also in its history', async () => {
      const look = `v1.${'A_-z'.repeat(20)}`;
      const values = { name: look, external_id: look, metadata: { sealed: look, after: '{}' } };
      const record = expectStatus(201, await post(values));
      const path = `/v1/affiliates/${record.id}`;
      expect(record).toMatchObject(values);
      expect(expectStatus(200, await api.get(path))).toEqual(record);
      expect(await account.all('/v1/affiliates', { external_id: look })).toEqual([record]);
      const query = { include: 'record' };
      const { data } = expectStatus(200, await api.get<Page<Change>>(`${path}/history`, { query }));
      expect(data).toMatchObject([{ record }]);
      const metadata = { sealed: `${look}2` };
      expect(expectStatus(200, await patch(record.id, { metadata }))).toMatchObject({ metadata });
    });

    it('needs an email, a name and a program, and names each missing field', async () => {
      expectIssues(await api.post('/v1/affiliates', {}), 'validation_failed', [
        '/email',
        '/name',
        '/program_id',
      ]);
      for (const field of ['email', 'name', 'program_id'])
        expectIssues(await post({ [field]: undefined }), 'validation_failed', [`/${field}`]);
    });

    it('accepts a name of 1 to 200 characters after trimming', async () => {
      for (const name of ['x', 'x'.repeat(200), '🎈'.repeat(200), `  ${'x'.repeat(200)}  `])
        expect(expectStatus(201, await post({ name })).name).toBe(name.trim());
      for (const name of ['', '   ', '\u00a0', 'x'.repeat(201), 5, null])
        expectIssues(await post({ name }), 'validation_failed', ['/name']);
    });

    it('accepts a program id of 1 to 64 letters, digits, _ and -', async () => {
      for (const program_id of ['prog_x', `prog_${'A'.repeat(64)}`, 'prog_0-_Z'])
        expect(expectStatus(201, await post({ program_id })).program_id).toBe(program_id);
      for (const program_id of [
        'prog_',
        `prog_${'A'.repeat(65)}`,
        'spring',
        'prg_x',
        'prog_a b',
        'prog_é',
        'PROG_x',
        'prog_a/b',
        'prog_x\n',
        '',
        null,
        7,
      ])
        expectIssues(await post({ program_id }), 'validation_failed', ['/program_id']);
    });

    it('accepts the same metadata as a conversion', async () => {
      for (const metadata of [
        Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])),
        { ['k'.repeat(41)]: 'v' },
        { k: 'v'.repeat(501) },
        { k: 1 },
        null,
      ])
        expectProblem(await post({ metadata }), 422, 'validation_failed');
    });
  });

  describe('changing an affiliate', () => {
    beforeAll(prepare);

    const wayTo: Readonly<Record<AffiliateStatus, readonly AffiliateStatus[]>> = {
      pending: [],
      approved: ['approved'],
      rejected: ['rejected'],
      suspended: ['approved', 'suspended'],
    };
    const inStatus = async (status: AffiliateStatus): Promise<Affiliate> => {
      let record = await account.affiliate();
      for (const step of wayTo[status]) record = await account.update(record, { status: step });
      return record;
    };
    const allowed: Readonly<Record<AffiliateStatus, readonly AffiliateStatus[]>> = {
      pending: ['pending', 'approved', 'rejected'],
      approved: ['approved', 'suspended'],
      rejected: ['approved', 'rejected'],
      suspended: ['approved', 'suspended'],
    };

    it.each(
      affiliateStatuses.flatMap((from) => affiliateStatuses.map((to) => [from, to] as const)),
    )('from %s to %s', async (from, to) => {
      const before = await inStatus(from);
      const response = await patch(before.id, { status: to, reason: 'because' });
      if (!allowed[from].includes(to)) {
        expectProblem(response, 409, 'invalid_transition');
        expect((await api.get(`/v1/affiliates/${before.id}`)).body).toEqual(before);
        return;
      }
      const after = expectStatus(200, response);
      if (from === to) return expect(after).toEqual(before);
      const { approved_at, updated_at } = after;
      expect(after).toEqual({
        ...before,
        status: to,
        reason: 'because',
        revision: before.revision + 1,
        updated_at,
        approved_at,
      });
      if (to === 'approved') expect(approved_at).toBe(updated_at);
      expect((await api.get(`/v1/affiliates/${before.id}`)).body).toEqual(after);
    });

    it.each(['lost', '', 'Approved', null])('%j is not a status', async (status) => {
      expectIssues(await patch((await inStatus('pending')).id, { status }), 'validation_failed', [
        '/status',
      ]);
    });

    it('one PATCH creates one revision, whatever it changes', async () => {
      const { id, created_at } = await inStatus('pending');
      const email = uniqueEmail();
      const after = expectStatus(
        200,
        await patch(id, {
          name: ' Grace Hopper ',
          email,
          status: 'approved',
          reason: 'known',
          metadata: { a: '1' },
        }),
      );
      expect(after).toMatchObject({
        name: 'Grace Hopper',
        email,
        status: 'approved',
        reason: 'known',
        metadata: { a: '1' },
        revision: 1,
        created_at,
      });
      expect((await api.get(`/v1/affiliates/${id}`)).body).toEqual(after);
    });

    it('a PATCH without changes creates no revision', async () => {
      const { id, name, email } = await account.affiliate({ metadata: { a: '1' } });
      for (const change of [
        { name },
        { name: ` ${name} ` },
        { email },
        { external_id: null },
        { metadata: { a: '1' } },
        { name, email, status: 'pending' },
      ])
        expect(expectStatus(200, await patch(id, change)).revision).toBe(0);
    });

    it('an empty object is rejected, and a wrong field is named', async () => {
      const { id } = await inStatus('pending');
      expectProblem(await patch(id, {}), 422, 'validation_failed');
      expectIssues(await patch(id, { name: ' ' }), 'validation_failed', ['/name']);
      expectIssues(await patch(id, { email: 'nobody' }), 'validation_failed', ['/email']);
      expectIssues(
        await patch(id, { status: 'approved', reason: 'x'.repeat(501) }),
        'validation_failed',
        ['/reason'],
      );
      expectIssues(await patch(id, { nmae: 'x' }), 'unknown_field', ['/nmae']);
    });

    it.each([
      'id',
      'object',
      'program_id',
      'commission_version',
      'created_at',
      'updated_at',
      'approved_at',
      'revision',
    ] as const)('%s cannot be changed', async (field) => {
      const before = await inStatus('pending');
      expectIssues(await patch(before.id, { [field]: before[field] }), 'immutable_field', [
        `/${field}`,
      ]);
    });
  });

  describe('the external id of an affiliate', () => {
    beforeAll(prepare);
    const found = async (query: Readonly<Record<string, string>>): Promise<Affiliate[]> =>
      account.all<Affiliate>('/v1/affiliates', { sort: 'created_at', ...query });

    itReads(service)('is in the record, can be changed and removed, and is a filter', async () => {
      const [code, next] = [uniqueText('code'), uniqueText('code')];
      const made = expectStatus(201, await post({ external_id: code }));
      expect(made.external_id).toBe(code);
      expect(await found({ external_id: code })).toEqual([made]);
      const changed = expectStatus(200, await patch(made.id, { external_id: next }));
      expect(changed).toMatchObject({ external_id: next, revision: 1 });
      expect(await found({ external_id: code })).toEqual([]);
      expect(await found({ external_id: next })).toEqual([changed]);
      const renamed = expectStatus(200, await patch(made.id, { name: 'Grace' }));
      expect(await found({ external_id: next })).toEqual([renamed]);
      expect(expectStatus(200, await patch(made.id, { external_id: null }))).toMatchObject({
        external_id: null,
        revision: 3,
      });
      expect(await found({ external_id: next })).toEqual([]);
    });

    itReads(service)('need not be unique, and combines with every other filter', async () => {
      const external_id = uniqueText('shared');
      const programs = ['prog_spring', 'prog_spring', 'prog_autumn'];
      const made: Affiliate[] = [];
      for (const program_id of programs) {
        const affiliate = expectStatus(201, await post({ external_id, program_id }));
        made.push(affiliate);
        await millisecondAfter(affiliate);
      }
      const [first, second, third] = made;
      const approved = await account.update(second as Affiliate, { status: 'approved' });
      const filters: readonly [Readonly<Record<string, string>>, readonly unknown[]][] = [
        [{}, [first, approved, third]],
        [{ program_id: 'prog_spring' }, [first, approved]],
        [{ status: 'pending' }, [first, third]],
        [{ program_id: 'prog_spring', status: 'approved' }, [approved]],
        [{ program_id: 'prog_autumn', status: 'approved' }, []],
        [{ email: first?.email ?? '' }, [first]],
        [{ email: third?.email ?? '', status: 'approved' }, []],
      ];
      for (const [filter, expected] of filters)
        for (const limit of ['1', '100'])
          expect([filter, await found({ external_id, limit, ...filter })]).toEqual([
            filter,
            expected,
          ]);
      expect(await found({ external_id: external_id.toUpperCase() })).toEqual([]);
      const other = await TestAccount.open(await service());
      expect(await other.all('/v1/affiliates', { external_id })).toEqual([]);
    });

    it('has 1 to 255 characters', async () => {
      for (const external_id of ['0', 'x'.repeat(255), '🎈'.repeat(255), ' user 42 '])
        expect(expectStatus(201, await post({ external_id })).external_id).toBe(external_id);
      for (const external_id of ['', 'x'.repeat(256), 42, null, {}])
        expectIssues(await post({ external_id }), 'validation_failed', ['/external_id']);
      const { id } = await account.affiliate();
      for (const external_id of ['', 'x'.repeat(256), 42])
        expectIssues(await patch(id, { external_id }), 'validation_failed', ['/external_id']);
    });

    itReads(service)(
      'is unique for those who send it as Idempotency-Key, until the affiliate is deleted',
      async () => {
        const external_id = uniqueText('user');
        const body = affiliateBody({ external_id });
        const enroll = (over: object = {}) =>
          api.post<Affiliate>(
            '/v1/affiliates',
            { ...body, ...over },
            { headers: { 'idempotency-key': external_id } },
          );
        const responses = await Promise.all(Array.from({ length: 5 }, () => enroll()));
        expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 201]);
        const [{ id }] = (await found({ external_id })) as [Affiliate];
        for (const over of [{ external_id: 'other' }, { email: uniqueEmail() }])
          expectProblem(await enroll(over), 422, 'idempotency_key_reused');
        expectStatus(200, await patch(id, { external_id: null }));
        expect(expectStatus(200, await enroll()).external_id).toBeNull();
        expectStatus(204, await api.delete(`/v1/affiliates/${id}`));
        expectProblem(await enroll(), 404, 'not_found');
      },
    );
  });

  describe('deleting an affiliate', () => {
    beforeAll(prepare);

    itReads(service)(
      'returns 204 without a body; then its id returns 404 everywhere and no list has it',
      async () => {
        const { id, email } = await account.affiliate();
        const response = await api.delete(`/v1/affiliates/${id}`);
        expect([response.status, response.text]).toEqual([204, '']);
        expectProblem(await api.get(`/v1/affiliates/${id}`), 404, 'not_found');
        expectProblem(await patch(id, { name: 'x' }), 404, 'not_found');
        expectProblem(await api.delete(`/v1/affiliates/${id}`), 404, 'not_found');
        expect(await account.all('/v1/affiliates', { email })).toEqual([]);
      },
    );

    itReads(service)('keeps its conversions', async () => {
      const { id } = await account.affiliate();
      const sale = await account.conversion(id);
      expectStatus(204, await api.delete(`/v1/affiliates/${id}`));
      expect((await api.get(`/v1/conversions/${sale.id}`)).body).toEqual(sale);
      expect(await account.all('/v1/conversions', { affiliate_id: id })).toEqual([sale]);
      expect((await account.update(sale, { status: 'approved' })).status).toBe('approved');
    });

    it('takes effect once for concurrent requests', async () => {
      const { id } = await account.affiliate();
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => api.delete(`/v1/affiliates/${id}`)),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        204,
        ...Array<number>(9).fill(404),
      ]);
    });

    it('returns 404 for a missing one', async () => {
      expectProblem(await api.delete(`/v1/affiliates/${unknownId('aff')}`), 404, 'not_found');
    });
  });
};
