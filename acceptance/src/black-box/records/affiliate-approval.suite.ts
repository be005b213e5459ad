/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type ApiResponse,
  type Change,
  expectStatus,
  type Page,
  type Program,
  programBody,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
} from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

/** Tests programs that approve their affiliates immediately. */
export const affiliateApprovalSuite = (service: ServiceFactory): void => {
  describe('a new affiliate of a program with automatic approval', () => {
    let account: TestAccount;
    let api: ApiClient;
    let program: Program;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      const body = programBody({ affiliate_approval: 'automatic' });
      program = expectStatus(201, await api.post<Program>('/v1/programs', body));
    });

    const post = (over: object = {}, headers = {}): Promise<ApiResponse<Affiliate>> =>
      api.post('/v1/affiliates', affiliateBody({ program_id: program.id, ...over }), { headers });
    const setApproval = async (affiliate_approval: Program['affiliate_approval']): Promise<void> =>
      void expectStatus(200, await api.patch(`/v1/programs/${program.id}`, { affiliate_approval }));
    const historyOf = async ({ id }: Affiliate): Promise<readonly Change<Affiliate>[]> =>
      expectStatus(
        200,
        await api.get<Page<Change<Affiliate>>>(`/v1/affiliates/${id}/history`, {
          query: { sort: 'revision', include: 'record' },
        }),
      ).data;

    it('is approved in the response to its creation', async () => {
      const response = await post();
      const record = expectStatus(201, response);
      const { created_at } = record;
      expect(record).toMatchObject({
        status: 'approved',
        reason: null,
        updated_at: created_at,
        approved_at: created_at,
        revision: 1,
      });
      expect(response.header('etag')).toBe('"1"');
      expect(expectStatus(200, await api.get(`/v1/affiliates/${record.id}`))).toEqual(record);
    });

    it('was created as pending and then approved, both by the same request', async () => {
      const record = expectStatus(201, await post());
      const pending = { ...record, status: 'pending', approved_at: null, revision: 0 };
      const history = await historyOf(record);
      expect(history).toMatchObject([
        { type: 'affiliate.created', record: pending },
        {
          type: 'affiliate.approved',
          record,
          changes: [{ path: '/status', before: 'pending', after: 'approved' }],
        },
      ]);
      expect(new Set(history.map(({ request_id }) => request_id)).size).toBe(1);
      for (const { position, record: then } of history) {
        const query = { as_of: position };
        expect((await api.get(`/v1/affiliates/${record.id}`, { query })).body).toEqual(then);
      }
    });

    it('takes sales at once', async () => {
      const { id } = expectStatus(201, await post());
      expect((await account.conversion(id)).affiliate_id).toBe(id);
    });

    itReads(service)('is in the list of approved ones', async () => {
      const record = expectStatus(201, await post());
      const { email } = record;
      expect(await account.all('/v1/affiliates', { email, status: 'approved' })).toEqual([record]);
      expect(await account.all('/v1/affiliates', { email, status: 'pending' })).toEqual([]);
    });

    it('is returned by a repeated request, even if its program now approves manually', async () => {
      const headers = { 'idempotency-key': uniqueText('key') };
      const email = uniqueEmail();
      const record = expectStatus(201, await post({ email }, headers));
      for (const approval of ['automatic', 'manual', 'automatic'] as const) {
        await setApproval(approval);
        const again = await post({ email }, headers);
        expect(expectStatus(200, again)).toEqual(record);
        expect(again.header('idempotent-replayed')).toBe('true');
      }
      expect(await historyOf(record)).toHaveLength(2);
    });

    it('is created once by a hundred requests at once, and its email is then taken', async () => {
      const headers = { 'idempotency-key': uniqueText('key') };
      const email = uniqueEmail();
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => post({ email }, headers)),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        ...Array<number>(99).fill(200),
        201,
      ]);
      for (const { body } of responses) expect(body).toEqual(responses[0]?.body);
      expectProblem(await post({ email: email.toUpperCase() }), 409, 'affiliate_exists');
    });

    it('is pending again as soon as a response says that the program approves manually', async () => {
      for (const [approval, status] of [
        ['manual', 'pending'],
        ['automatic', 'approved'],
        ['manual', 'pending'],
        ['automatic', 'approved'],
      ] as const) {
        await setApproval(approval);
        expect(expectStatus(201, await post()).status).toBe(status);
      }
    });

    it("ignores what another account's program with this id says", async () => {
      const stranger = await TestAccount.open(await service());
      expect((await stranger.affiliate({ program_id: program.id })).status).toBe('pending');
    });
  });

  it('a program that its first affiliate created approves manually', async () => {
    const account = await TestAccount.open(await service());
    expect((await account.affiliate()).status).toBe('pending');
  });
};
