/// <reference types="jest" />
import {
  type Adjustment,
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Change,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';

const voiding = { status: 'voided', reason: 'entered twice' };

/** Tests changing and voiding adjustments, and their history. */
export const adjustmentChangesSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  let affiliate: Affiliate;
  const prepare = async (): Promise<void> => {
    account ??= await TestAccount.open(await service());
    api = account.api;
    affiliate ??= await account.affiliate();
  };
  const create = (over: object = {}): Promise<Adjustment> =>
    account.adjustment(affiliate.id, { metadata: { a: '1' }, ...over });
  const patch = (id: string, change: object, options = {}): Promise<ApiResponse<Adjustment>> =>
    api.patch(`/v1/adjustments/${id}`, change, options);
  const get = (id: string, query = {}): Promise<ApiResponse<Adjustment>> =>
    api.get(`/v1/adjustments/${id}`, { query });

  describe('changing an adjustment', () => {
    beforeAll(prepare);

    it.each<[object, object]>([
      [{ metadata: { b: '2' } }, { metadata: { b: '2' } }],
      [voiding, voiding],
      [
        { ...voiding, metadata: {} },
        { ...voiding, metadata: {} },
      ],
    ])('%j creates one revision', async (change, changed) => {
      const before = await create();
      const response = await patch(before.id, change);
      const after = expectStatus(200, response);
      const { updated_at } = after;
      expect(after).toEqual({ ...before, ...changed, updated_at, revision: 1 });
      expect(response.header('etag')).toBe('"1"');
      expect((await get(before.id)).body).toEqual(after);
    });

    it('to what it already is creates no revision', async () => {
      const before = await create();
      for (const change of [
        { metadata: { a: '1' } },
        { status: 'posted' },
        { status: 'posted', reason: 'still' },
      ])
        expect(expectStatus(200, await patch(before.id, change))).toEqual(before);
    });

    it('voids it once; then only its metadata changes', async () => {
      const { id } = await create();
      const voided = expectStatus(200, await patch(id, voiding));
      const again = { status: 'voided', reason: 'again' };
      expect(expectStatus(200, await patch(id, again))).toEqual(voided);
      for (const change of [{ status: 'posted' }, { status: 'posted', metadata: {} }])
        expectProblem(await patch(id, change), 409, 'invalid_transition');
      expect(expectStatus(200, await patch(id, { ...again, metadata: {} }))).toMatchObject({
        status: 'voided',
        reason: 'entered twice',
        metadata: {},
        revision: 2,
      });
    });

    it.each([10, 100])('voids it only once for %d simultaneous requests', async (count) => {
      const { id } = await create();
      const responses = await Promise.all(Array.from({ length: count }, () => patch(id, voiding)));
      for (const response of responses)
        expect(expectStatus(200, response)).toMatchObject({ ...voiding, revision: 1 });
    });

    it('needs a reason to void it, and takes one only with a status', async () => {
      const { id } = await create();
      for (const change of [
        { status: 'voided' },
        { status: 'voided', metadata: {} },
        { status: 'voided', reason: '' },
        { status: 'voided', reason: null },
        { status: 'voided', reason: 'x'.repeat(501) },
        { reason: 'why' },
        { metadata: {}, reason: 'why' },
      ])
        expectIssues(await patch(id, change), 'validation_failed', ['/reason']);
      for (const status of ['pending', '', null])
        expectIssues(await patch(id, { status, reason: 'x' }), 'validation_failed', ['/status']);
      expectProblem(await patch(id, {}), 422, 'validation_failed');
      expectIssues(await patch(id, { stauts: 'voided' }), 'unknown_field', ['/stauts']);
      const reason = 'x'.repeat(500);
      expect(expectStatus(200, await patch(id, { status: 'voided', reason })).reason).toBe(reason);
    });

    it.each([
      'id',
      'object',
      'affiliate_id',
      'program_id',
      'currency',
      'amount',
      'description',
      'payable_on',
      'external_id',
      'created_at',
      'updated_at',
      'revision',
    ] as const)('%s cannot be changed, not even to its current value', async (field) => {
      const before = await create();
      for (const change of [{}, voiding])
        expectIssues(
          await patch(before.id, { ...change, [field]: before[field] }),
          'immutable_field',
          [`/${field}`],
        );
      expect((await get(before.id)).body).toEqual(before);
    });

    it('respects If-Match', async () => {
      const { id } = await create();
      const ifMatch = { headers: { 'if-match': '"0"' } };
      expectStatus(200, await patch(id, { metadata: {} }, ifMatch));
      expectProblem(await patch(id, voiding, ifMatch), 412, 'revision_mismatch');
      // the request is checked before the record, and the record before its rules
      expectProblem(await patch(id, { status: 'voided' }, ifMatch), 422, 'validation_failed');
      expectStatus(200, await patch(id, voiding));
      expectProblem(await patch(id, { status: 'posted' }, ifMatch), 412, 'revision_mismatch');
    });

    it('returns 404 for a missing one, whatever its id', async () => {
      for (const id of [unknownId('adj'), 'adj_missing', unknownId('aff'), 'x'])
        for (const response of [
          await get(id),
          await get(id, { as_of: '1' }),
          await api.get(`/v1/adjustments/${id}/history`),
          await patch(id, voiding),
        ])
          expectProblem(response, 404, 'not_found');
    });
  });

  describe('the history of an adjustment', () => {
    beforeAll(prepare);

    it('has each change, with its reason, and the record after it', async () => {
      const made = await create({ external_id: 'history' });
      const updated = expectStatus(200, await patch(made.id, { metadata: { a: '2' } }));
      const voided = await patch(made.id, { ...voiding, metadata: {} });
      const path = `/v1/adjustments/${made.id}/history`;
      const query = { include: 'record', sort: 'revision' };
      const { data } = expectStatus(200, await api.get<Page<Change<Adjustment>>>(path, { query }));
      expect(data.map(({ record }) => record)).toEqual([made, updated, voided.body]);
      expect(data.map(({ type, reason }) => [type, reason])).toEqual([
        ['adjustment.created', null],
        ['adjustment.updated', null],
        ['adjustment.voided', 'entered twice'],
      ]);
      expect(data[0]?.changes.map((change) => change.path)).toEqual([
        '/id',
        '/object',
        '/affiliate_id',
        '/program_id',
        '/status',
        '/currency',
        '/amount',
        '/description',
        '/payable_on',
        '/external_id',
        '/metadata/a',
      ]);
      expect(data[2]).toMatchObject({
        id: like.id('evt'),
        revision: 2,
        position: voided.header('refledger-position'),
        changes: [
          { path: '/status', before: 'posted', after: 'voided' },
          { path: '/metadata/a', before: '2', after: null },
        ],
      });
    });

    it('gives the record as of each position', async () => {
      const { id } = await create();
      const responses = [
        await get(id),
        await patch(id, { metadata: {} }),
        await patch(id, voiding),
      ];
      for (const response of responses) {
        const as_of = response.header('refledger-position') ?? '';
        const then = await get(id, { as_of });
        expect(expectStatus(200, then)).toEqual(response.body);
        expect([then.header('refledger-as-of'), then.header('etag')]).toEqual([as_of, undefined]);
      }
      expectProblem(await get(id, { as_of: '0' }), 404, 'not_found');
    });
  });
};
