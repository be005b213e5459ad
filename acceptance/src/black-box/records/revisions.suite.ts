/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiClient,
  type Conversion,
  expectStatus,
  type ServiceFactory,
  subscriptionBody,
  TestAccount,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } });

/** Tests ETag, If-Match and concurrent writes to one record. */
export const revisionsSuite = (service: ServiceFactory): void => {
  describe('revisions', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );

    it('every response with a single record has its ETag', async () => {
      const created = await api.post<Affiliate>('/v1/affiliates', affiliateBody());
      expect(created.header('etag')).toBe('"0"');
      const path = `/v1/affiliates/${created.body.id}`;
      const patched = await api.patch<Affiliate>(path, { name: 'New' });
      expect([patched.header('etag'), patched.body.revision]).toEqual(['"1"', 1]);
      expect((await api.get(path)).header('etag')).toBe('"1"');
      const { id } = await account.conversion(affiliate.id);
      expect((await api.get(`/v1/conversions/${id}`)).header('etag')).toBe('"0"');
      expect(
        (await api.patch(`/v1/conversions/${id}`, { status: 'approved' })).header('etag'),
      ).toBe('"1"');
    });

    it('webhook endpoints have no ETag', async () => {
      const response = await api.post(
        '/v1/webhooks/subscribe',
        subscriptionBody('http://example.com/etag', ['affiliate.created']),
      );
      expect([response.status, response.header('etag')]).toEqual([201, undefined]);
    });

    it('a stale If-Match is rejected, and nothing changes', async () => {
      const record = await account.update(await account.conversion(affiliate.id), {
        metadata: { a: '1' },
      });
      const path = `/v1/conversions/${record.id}`;
      for (const tag of ['"0"', '"2"']) {
        expectProblem(
          await api.patch(path, { status: 'approved' }, ifMatch(tag)),
          412,
          'revision_mismatch',
        );
        expectProblem(
          await api.patch(path, { metadata: { a: '1' } }, ifMatch(tag)),
          412,
          'revision_mismatch',
        );
      }
      expect((await api.get(path)).body).toEqual(record);
    });

    it.each(['"00"', '"000"', 'W/"0"', '"0 "', '"-0"', '"0x0"'])(
      'If-Match: %s is not revision 0',
      async (tag) => {
        const { id } = await account.conversion(affiliate.id);
        const { status } = await api.patch(
          `/v1/conversions/${id}`,
          { status: 'approved' },
          ifMatch(tag),
        );
        expect(status).toBe(tag.includes(' ') ? 422 : 412);
      },
    );

    it.each(['"7","0"', 'W/"0" , "0"', '"7",\t"0"', '"a,b", "0"', '*'])(
      'If-Match: %s names revision 0',
      async (tags) => {
        const { id } = await account.conversion(affiliate.id);
        expectStatus(
          200,
          await api.patch(`/v1/conversions/${id}`, { status: 'approved' }, ifMatch(tags)),
        );
      },
    );

    it.each(['0', '"0', '"0" "1"', '"0",', '**'])(
      'If-Match: %s is not a list of entity tags',
      async (tags) => {
        const { id } = await account.conversion(affiliate.id);
        expectIssues(
          await api.patch(`/v1/conversions/${id}`, { status: 'approved' }, ifMatch(tags)),
          'validation_failed',
          ['if-match'],
        );
      },
    );

    it('the current revision is accepted, on PATCH and DELETE', async () => {
      const { id } = await account.affiliate();
      const path = `/v1/affiliates/${id}`;
      expectStatus(200, await api.patch(path, { status: 'approved' }, ifMatch('"0"')));
      expectProblem(await api.delete(path, ifMatch('"0"')), 412, 'revision_mismatch');
      expectStatus(200, await api.get(path));
      expectStatus(204, await api.delete(path, ifMatch('"1"')));
    });

    it('of many concurrent changes with If-Match, one wins', async () => {
      const { id } = await account.conversion(affiliate.id);
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          api.patch<Conversion>(
            `/v1/conversions/${id}`,
            { metadata: { writer: String(n) } },
            ifMatch('"0"'),
          ),
        ),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([
        200,
        ...Array<number>(19).fill(412),
      ]);
      const winner = responses.find(({ status }) => status === 200);
      expect((await api.get(`/v1/conversions/${id}`)).body).toEqual(winner?.body);
    });

    it('without If-Match a conflict is retried internally, and each 200 creates one revision', async () => {
      const { id } = await account.conversion(affiliate.id);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () =>
          api.patch<Conversion>(`/v1/conversions/${id}`, { metadata: { writer: uniqueText('w') } }),
        ),
      );
      const revisions = responses.map((response) => expectStatus(200, response).revision);
      expect(revisions.toSorted((a, b) => a - b)).toEqual(revisions.map((_, index) => index + 1));
      expect((await api.get<Conversion>(`/v1/conversions/${id}`)).body.revision).toBe(20);
    });
  });
};
