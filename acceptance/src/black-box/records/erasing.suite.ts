/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type Balance,
  type Change,
  type Erasure,
  expectStatus,
  type Page,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
  unknownId,
} from '@refledger/testing';
import { expectProblem, like } from '../expect-problem.js';
import { keyed, OwingAccount } from '../payouts/owing-account.js';

const personal = ['email', 'external_id', 'name', 'payout_email', 'payout_hold_reason', 'reason'];
const nulls = { ...Object.fromEntries(personal.map((name) => [name, null])), metadata: {} };

/** Tests erasing affiliates: what is gone, and that the books stay. */
export const erasingSuite = (service: ServiceFactory): void => {
  let account: TestAccount;
  let api: ApiClient;
  beforeAll(async () => {
    account = await TestAccount.open(await service());
    api = account.api;
  });
  const erase = (id: string, by = api) => by.post<Erasure>(`/v1/affiliates/${id}/erase`, undefined);
  const erased = async (over: object = {}): Promise<Affiliate> => {
    const affiliate = await account.affiliate(over);
    expectStatus(200, await erase(affiliate.id));
    return affiliate;
  };
  const historyOf = async (id: string, query: object = {}): Promise<readonly Change[]> => {
    const all = { query: { sort: 'revision', ...query } };
    const page = await api.get<Page<Change>>(`/v1/affiliates/${id}/history`, all);
    return expectStatus(200, page).data;
  };

  describe('erasing an affiliate', () => {
    it('deletes it and returns the finished erasure, also later and when it is repeated', async () => {
      const { id } = await account.affiliate();
      const response = await erase(id);
      const erasure = expectStatus(200, response);
      expect(erasure).toEqual({
        id,
        object: 'erasure',
        affiliate_id: id,
        status: 'finished',
        created_at: like.instant(),
        finished_at: like.instant(),
        actor: { type: 'api_key', id: like.id('key'), name: like.text(/./) },
      });
      expect(response.header('refledger-position')).toMatch(/^\d+$/);
      expect(expectStatus(200, await erase(id))).toEqual(erasure);
      expect((await api.get(`/v1/affiliates/${id}/erasure`)).body).toEqual(erasure);
      const { data } = expectStatus(200, await api.get<Page<Erasure>>('/v1/erasures'));
      expect(data[0]).toEqual(erasure);
    });

    it('leaves nothing to find: no record, also in the past, no list, no filter', async () => {
      const [email, external_id] = [uniqueEmail(), uniqueText('crm')];
      const created = await api.post<Affiliate>(
        '/v1/affiliates',
        affiliateBody({ email, external_id }),
      );
      const { id } = expectStatus(201, created);
      const as_of = created.header('refledger-position') ?? '';
      expectStatus(200, await erase(id));
      expectProblem(await api.get(`/v1/affiliates/${id}`), 404, 'not_found');
      expectProblem(await api.get(`/v1/affiliates/${id}`, { query: { as_of } }), 404, 'not_found');
      expectProblem(await api.get(`/v1/affiliates/${id}/stats`), 404, 'not_found');
      expect(await account.all('/v1/affiliates', { email })).toEqual([]);
      expect(await account.all('/v1/affiliates', { external_id })).toEqual([]);
      expect(await account.all<Affiliate>('/v1/affiliates')).not.toContainEqual(
        expect.objectContaining({ id }),
      );
    });

    it('shows its history without any value, from what the events say in the clear', async () => {
      const affiliate = await account.affiliate({ metadata: { a: '1' } });
      const { id } = affiliate;
      await account.update(affiliate, { status: 'approved', name: 'Ada King', reason: 'known' });
      expectStatus(200, await erase(id));
      const changes = await historyOf(id);
      expect(changes.map(({ type, erased, reason }) => [type, erased, reason])).toEqual(
        ['created', 'approved', 'deleted', 'erased'].map((t) => [`affiliate.${t}`, true, null]),
      );
      expect(changes[1]?.changes).toEqual([
        { path: '/name', before: null, after: null },
        { path: '/status', before: 'pending', after: 'approved' },
      ]);
      for (const { path, before, after } of changes[0]?.changes ?? [])
        if (personal.includes(path.slice(1))) expect([before, after]).toEqual([null, null]);
      const records = await historyOf(id, { include: 'record' });
      expect(records.map(({ record }) => record)).toMatchObject(records.map(() => nulls));
      expect(JSON.stringify(records)).not.toMatch(/Ada|example|known/);
    });

    it('erases one that was deleted before, whose history is then shown again', async () => {
      const { id } = await account.affiliate();
      expectStatus(204, await api.delete(`/v1/affiliates/${id}`));
      expectProblem(await api.get(`/v1/affiliates/${id}/history`), 404, 'not_found');
      expectStatus(200, await erase(id));
      expect((await historyOf(id)).map(({ type }) => type)).toEqual([
        'affiliate.created',
        'affiliate.deleted',
        'affiliate.erased',
      ]);
    });

    it('frees the address, but the request that created it makes no twin', async () => {
      const body = affiliateBody({ email: uniqueEmail() });
      const key = keyed(uniqueText('key'));
      const { id } = expectStatus(201, await api.post<Affiliate>('/v1/affiliates', body, key));
      expectStatus(200, await erase(id));
      const again = expectProblem(
        await api.post('/v1/affiliates', body, key),
        409,
        'affiliate_erased',
      );
      expect(again.affiliate_id).toBe(id);
      const other = expectStatus(201, await api.post<Affiliate>('/v1/affiliates', body));
      expect(other.id).not.toBe(id);
    });

    it('ends every other request on it', async () => {
      const { id } = await erased();
      expectProblem(await api.patch(`/v1/affiliates/${id}`, { name: 'B' }), 404, 'not_found');
      expectProblem(await api.delete(`/v1/affiliates/${id}`), 404, 'not_found');
      const sale = { affiliate_id: id, sale_amount: 1, sale_currency: 'USD' };
      expectProblem(await api.post('/v1/conversions', sale), 422, 'affiliate_not_found');
    });

    it('needs scope admin, and an affiliate of the account', async () => {
      const { id } = await account.affiliate();
      for (const scope of ['read', 'write'] as const)
        expectProblem(await erase(id, await account.withScope(scope)), 403, 'insufficient_scope');
      const stranger = await TestAccount.open(await service());
      expectProblem(await erase(id, stranger.api), 404, 'not_found');
      expectProblem(await erase(unknownId('aff')), 404, 'not_found');
      expectProblem(await api.get(`/v1/affiliates/${id}/erasure`), 404, 'not_found');
      const gone = await erased();
      expectProblem(await stranger.api.get(`/v1/affiliates/${gone.id}/erasure`), 404, 'not_found');
      expect(await stranger.all('/v1/erasures')).toEqual([]);
    });

    it('is listed by when it was requested', async () => {
      const own = await TestAccount.open(await service());
      const ids: string[] = [];
      while (ids.length < 3) {
        const { id } = await own.affiliate();
        expectStatus(200, await erase(id, own.api));
        ids.push(id);
      }
      const all = await own.all<Erasure>('/v1/erasures', { sort: 'created_at', limit: '1' });
      expect(all.map(({ affiliate_id }) => affiliate_id)).toEqual(ids);
      const created_after = all[0]?.created_at ?? '';
      const later = await own.all<Erasure>('/v1/erasures', { created_after, sort: 'created_at' });
      expect(later).toEqual(all.filter(({ created_at }) => created_at > created_after));
    });
  });

  describe('the books of an erased affiliate', () => {
    it('stay as they are: balances, entries, payouts, conversions, statements', async () => {
      const owing = await OwingAccount.open(await service());
      const affiliate = await owing.owed(500);
      const { id } = affiliate;
      await owing.account.update(await owing.paid(affiliate), { status: 'completed' });
      await owing.owe(affiliate, 700);
      await owing.account.conversion(id);
      const { id: balance } = await owing.balance(affiliate);
      const month = new Date().toISOString().slice(0, 7);
      const paths = [
        `/v1/entries?affiliate_id=${id}&sort=position`,
        `/v1/payouts?affiliate_id=${id}`,
        `/v1/conversions?affiliate_id=${id}`,
        `/v1/balances/${balance}/statement?month=${month}`,
      ];
      const books = () =>
        Promise.all(
          paths.map(async (path) => {
            const { status, text } = await owing.api.get(path);
            expect([path, status]).toEqual([path, 200]);
            return text;
          }),
        );
      const sums = async (query: Readonly<Record<string, string>> = {}) => {
        const path = `/v1/balances/${balance}`;
        const found = expectStatus(200, await owing.api.get<Balance>(path, { query }));
        // whether it is paid changes, and where the log ends
        return { ...found, eligible: true, not_eligible: [], position: '' };
      };
      const read = await owing.api.get(`/v1/balances/${balance}`);
      const as_of = read.header('refledger-position') ?? '';
      const [before, sumsBefore] = [await books(), await sums()];
      expect(before.every((text) => text.includes(id))).toBe(true);
      expectStatus(200, await erase(id, owing.api));
      expect(await books()).toEqual(before);
      expect(await sums()).toEqual(sumsBefore);
      expect(await sums({ as_of })).toEqual(sumsBefore);
    });

    it('must have no payout that is not ended: that names them, and changes nothing', async () => {
      const owing = await OwingAccount.open(await service());
      const affiliate = await owing.owed(500);
      const payout = await owing.paid(affiliate);
      for (const change of [{ status: 'processing' }, { status: 'failed', reason: 'bank' }]) {
        const refused = expectProblem(await erase(affiliate.id, owing.api), 409, 'payouts_open');
        expect(refused.payouts).toEqual([payout.id]);
        await owing.account.update(await owing.payout(payout.id), change);
      }
      expectStatus(200, await owing.api.get(`/v1/affiliates/${affiliate.id}`));
      expectStatus(200, await erase(affiliate.id, owing.api));
      expect((await owing.balance(affiliate)).payable).toBe(500);
    });
  });
};
