/// <reference types="jest" />
import {
  type Affiliate,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
} from '@refledger/testing';
import { expectIssues } from '../expect-problem.js';

type Query = Readonly<Record<string, string | number>>;

/** Tests the search for affiliates, whose values are sealed. */
export const affiliateSearchSuite = (service: ServiceFactory): void => {
  describe('q finds affiliates', () => {
    let account: TestAccount;
    let ada: Affiliate;
    let eve: Affiliate;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      ada = await account.affiliate({
        name: 'Ada King-Lovelace',
        email: 'ada.k@search.example',
        external_id: 'crm-4711',
        program_id: 'prog_spring',
      });
      eve = await account.affiliate({
        name: 'Évelyne Kingsley',
        email: 'eve@other.example',
        program_id: 'prog_fall',
      });
    });

    const found = async (q: string, query: Query = {}): Promise<string[]> =>
      (await account.all<Affiliate>('/v1/affiliates', { q, ...query })).map(({ id }) => id);

    it('by the start of the id, the email, the external id or a word of the name, in any case', async () => {
      const { id, email } = ada;
      const texts = [
        id,
        id.slice(0, 20),
        email,
        'ADA.K@S',
        'crm-47',
        'ada',
        'LOVELACE',
        'ada king',
      ];
      for (const q of texts) expect([q, await found(q)]).toEqual([q, [id]]);
      expect(await found('E\u0301VELYNE')).toEqual([eve.id]);
      for (const q of ['velace', 'search', '4711', 'ada kong', `${id}0`])
        expect([q, await found(q)]).toEqual([q, []]);
    });

    it('together with other filters, in either order, page by page', async () => {
      expect(await found('king')).toEqual([eve.id, ada.id]);
      expect(await found('king', { sort: 'created_at', limit: 1 })).toEqual([ada.id, eve.id]);
      expect(await found('king', { program_id: 'prog_spring' })).toEqual([ada.id]);
      expect(await found('king', { status: 'rejected' })).toEqual([]);
      expect(await found('king', { external_id: 'crm-4711' })).toEqual([ada.id]);
      expect(await found('king', { email: eve.email.toUpperCase() })).toEqual([eve.id]);
      expect(await found('king', { created_before: '2020-01-01T00:00:00Z' })).toEqual([]);
      const first = await account.api.get<Page<Affiliate>>('/v1/affiliates', {
        query: { q: 'king', limit: 1 },
      });
      const { data, next_cursor } = expectStatus(200, first);
      expect(data).toEqual([eve]);
      const query = { q: 'kings', limit: 1, cursor: next_cursor ?? '' };
      expectIssues(await account.api.get('/v1/affiliates', { query }), 'validation_failed', [
        'cursor',
      ]);
    });

    it('of this account only, as soon as a change of theirs is answered', async () => {
      const other = await TestAccount.open(await service());
      expect(await other.all('/v1/affiliates', { q: 'king' })).toEqual([]);
      const { id } = await account.affiliate({ name: 'Grace Hopper', email: 'g@search.example' });
      expect(await found('grace')).toEqual([id]);
      const renamed = await account.api.patch(`/v1/affiliates/${id}`, { name: 'Amazing Murray' });
      expectStatus(200, renamed);
      expect([await found('grace'), await found('amazing')]).toEqual([[], [id]]);
      expect((await account.api.delete(`/v1/affiliates/${id}`)).status).toBe(204);
      expect([await found('amazing'), await found('g@search')]).toEqual([[], []]);
    });

    it('if it has 3 characters', async () => {
      for (const q of ['', 'ki', ' ki ', '\u{20bb7}'.repeat(2)])
        expectIssues(
          await account.api.get('/v1/affiliates', { query: { q } }),
          'validation_failed',
          ['q'],
        );
    });
  });
};
