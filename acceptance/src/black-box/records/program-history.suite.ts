/// <reference types="jest" />
import {
  type ApiClient,
  type ApiResponse,
  type Change,
  expectStatus,
  type Page,
  type Program,
  programBody,
  type ServiceFactory,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

const terms = { type: 'percentage', rate_bps: 2000 };
const stored = { ...terms, recurring: 'every', hold_days: 30 };

/** Tests the history of programs, and programs as of a position. */
export const programHistorySuite = (service: ServiceFactory): void => {
  describe('the history of a program', () => {
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });

    const positionOf = ({ header }: ApiResponse): string => header('refledger-position') ?? '';
    const create = (over: object = {}): Promise<ApiResponse<Program>> =>
      api.post('/v1/programs', programBody(over));
    const patch = (id: string, change: object): Promise<ApiResponse<Program>> =>
      api.patch(`/v1/programs/${id}`, change);
    const history = async (id: string, query = {}): Promise<readonly Change<Program>[]> =>
      expectStatus(
        200,
        await api.get<Page<Change<Program>>>(`/v1/programs/${id}/history`, {
          query: { sort: 'revision', ...query },
        }),
      ).data;

    it('has what changed, in the order of the record, and the reason given with it', async () => {
      const { id } = expectStatus(201, await create({ minimum_payout: { USD: 1 } }));
      for (const change of [
        { terms, minimum_payout: { USD: 2 }, metadata: { a: '1' }, reason: 'better terms' },
        { name: 'Other' },
        { status: 'archived', terms: null, reason: 'over' },
        { status: 'archived', reason: 'no change' },
      ])
        expectStatus(200, await patch(id, change));
      const changes = await history(id);
      expect(
        changes.slice(1).map(({ type, reason, changes: made }) => ({ type, reason, made })),
      ).toEqual([
        {
          type: 'program.updated',
          reason: 'better terms',
          made: [
            { path: '/terms', before: null, after: stored },
            { path: '/terms_version', before: 0, after: 1 },
            { path: '/minimum_payout', before: { USD: 1 }, after: { USD: 2 } },
            { path: '/metadata/a', before: null, after: '1' },
          ],
        },
        {
          type: 'program.updated',
          reason: null,
          made: [{ path: '/name', before: 'Spring', after: 'Other' }],
        },
        {
          type: 'program.updated',
          reason: 'over',
          made: [
            { path: '/status', before: 'active', after: 'archived' },
            { path: '/terms', before: stored, after: null },
            { path: '/terms_version', before: 1, after: 2 },
          ],
        },
      ]);
      expect(changes[0]).toMatchObject({ type: 'program.created', revision: 0, reason: null });
      expect(changes[0]?.changes.map(({ path }) => path)).toEqual([
        '/id',
        '/object',
        '/name',
        '/status',
        '/terms_version',
        '/affiliate_approval',
        '/conversion_approval',
        '/minimum_payout',
      ]);
    });

    it('has the record after each change, equal to the record as of that position', async () => {
      const created = await create();
      const { id } = expectStatus(201, created);
      const responses = [created];
      for (const change of [{ terms }, { status: 'archived' }, { status: 'active', name: 'New' }])
        responses.push(await patch(id, change));
      expect(
        (await history(id, { include: 'record' })).map(({ record, position }) => ({
          record,
          position,
        })),
      ).toEqual(responses.map((each) => ({ record: each.body, position: positionOf(each) })));
      for (const response of responses) {
        const as_of = positionOf(response);
        const then = await api.get(`/v1/programs/${id}`, { query: { as_of } });
        expect(expectStatus(200, then)).toEqual(response.body);
        expect([then.header('refledger-as-of'), then.header('etag')]).toEqual([as_of, undefined]);
      }
    });

    it('starts with the first affiliate if that created the program', async () => {
      const id = uniqueText('prog_first');
      await account.affiliate({ program_id: id });
      const [created, ...more] = await history(id);
      expect(more).toEqual([]);
      expect(created?.type).toBe('program.created');
      expect(created?.changes).toContainEqual({ path: '/name', before: null, after: id });
    });

    it('is shown page by page, the newest change first', async () => {
      const { id } = expectStatus(201, await create());
      for (const name of ['A', 'B', 'C', 'D']) expectStatus(200, await patch(id, { name }));
      const changes = await account.all<Change>(`/v1/programs/${id}/history`, { limit: 2 });
      expect(changes.map(({ revision }) => revision)).toEqual([4, 3, 2, 1, 0]);
    });

    it('can be read with any key, and returns 404 for a program that does not exist', async () => {
      const created = await create();
      const { id } = expectStatus(201, created);
      const reader = await account.withScope('read');
      const query = { as_of: positionOf(created) };
      expectStatus(200, await reader.get(`/v1/programs/${id}/history`));
      expectStatus(200, await reader.get(`/v1/programs/${id}`, { query }));
      expectProblem(await reader.get('/v1/programs/prog_missing/history'), 404, 'not_found');
      for (const path of [`/v1/programs/${id}`, '/v1/programs/prog_missing'])
        expectProblem(await reader.get(path, { query: { as_of: '0' } }), 404, 'not_found');
      for (const refused of [{ include: 'records' }, { limit: 0 }, { cursor: 'x' }])
        expectIssues(
          await reader.get(`/v1/programs/${id}/history`, { query: refused }),
          'validation_failed',
          Object.keys(refused),
        );
    });
  });
};
