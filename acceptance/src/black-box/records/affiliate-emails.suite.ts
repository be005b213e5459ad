/// <reference types="jest" />
import {
  type Affiliate,
  affiliateBody,
  type ApiResponse,
  type ApiClient,
  expectStatus,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { itReads } from '../it-reads.js';

const statusesOf = (responses: readonly ApiResponse[]): number[] =>
  responses.map(({ status }) => status).toSorted();

/**
 * Tests the syntax of emails, and that one email names at most one affiliate of a program, even
 * under concurrent writes.
 */
export const affiliateEmailsSuite = (service: ServiceFactory): void => {
  describe('the email of an affiliate', () => {
    let account: TestAccount;
    let api: ApiClient;
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
    });
    const enroll = (email: unknown, over: object = {}): Promise<ApiResponse<Affiliate>> =>
      api.post('/v1/affiliates', affiliateBody({ email, ...over }));
    const rename = (id: string, email: string): Promise<ApiResponse<Affiliate>> =>
      api.patch(`/v1/affiliates/${id}`, { email });

    it.each([
      'a@b',
      "o'hara+tag@example.com",
      'UPPER@EXAMPLE.com',
      "!#$%&'*+/=?^_`{|}~-.x@example.com",
      `a@${'b'.repeat(63)}.com`,
      `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}com`,
      'a@1.2.3',
      'a@127.1',
      'a@xn--a',
      'jörg@bücher.example',
      'é@example.com',
      'jose\u0301@example.com',
      'a@ex\u00e4mple.com',
      '用户@例子.广告',
      'संपर्क@डाटामेल.भारत',
      `${'é'.repeat(32)}@example.com`,
    ])('%s is accepted, and stored as sent', async (email) => {
      expect(expectStatus(201, await enroll(email)).email).toBe(email);
    });

    it.each([
      '',
      'a',
      '@b',
      'a@',
      'a b@c.com',
      'a@b c',
      'a@@b',
      'a@b@c',
      'a@-b.com',
      'a@b-.com',
      'a@.com',
      'a@b..com',
      'a@b.',
      `a@${'b'.repeat(64)}.com`,
      'a..b@example.com',
      '.a@example.com',
      'a.@example.com',
      '..@example.com',
      `${'a'.repeat(65)}@example.com`,
      `${'é'.repeat(33)}@example.com`,
      `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(3)}com`,
      `a@${'bü.'.repeat(36)}example`,
      'jörg@xn--a',
      'jörg@127.1',
      'jörg@bücher..example',
      'jörg@-bücher.example',
      'jörg@bücher.example:80',
      'a\u200bb@example.com',
      '\u2060@example.com',
      'a@exam\u200bple.com',
      'a\u202eb@example.com',
      '\u2066a\u2069@example.com',
      '"quoted"@example.com',
      'a@[127.0.0.1]',
      ' a@b.com',
      'a@b.com ',
      null,
      5,
      ['a@b'],
    ])('%j is refused', async (email) => {
      expectIssues(await enroll(email), 'validation_failed', ['/email']);
    });

    it('is unique in its program, ignoring case, and the problem names its owner', async () => {
      const email = uniqueEmail();
      const { id } = expectStatus(201, await enroll(email));
      for (const same of [email, email.toUpperCase()])
        expect(
          expectProblem(await enroll(same, { name: 'Other' }), 409, 'affiliate_exists')
            .affiliate_id,
        ).toBe(id);
      expectStatus(201, await enroll(email, { program_id: 'prog_autumn' }));
      const other = await TestAccount.open(await service());
      expectStatus(201, await other.api.post('/v1/affiliates', affiliateBody({ email })));
    });

    it('that is taken: each field of the new affiliate that differs from its owner is named', async () => {
      const email = uniqueEmail();
      const own = { name: 'Ada', external_id: 'user-1', metadata: { tier: 'gold' } };
      const { id } = expectStatus(201, await enroll(email, { ...own, name: 'Augusta' }));
      expectStatus(200, await api.patch(`/v1/affiliates/${id}`, { name: own.name }));
      const differing = async (over: object, form = email) => {
        const problem = expectProblem(await enroll(form, over), 409, 'affiliate_exists');
        expect(problem.affiliate_id).toBe(id);
        return problem.errors?.map(({ message: _, ...issue }) => issue);
      };
      expect(await differing({ ...own, name: 'Grace', external_id: 'user-2' })).toEqual([
        { path: '/external_id', code: 'differs', sent: 'user-2', stored: 'user-1' },
        { path: '/name', code: 'differs', sent: 'Grace', stored: 'Ada' },
      ]);
      expect(await differing({ name: 'Ada' })).toEqual([
        { path: '/external_id', code: 'differs', sent: null, stored: 'user-1' },
        { path: '/metadata', code: 'differs', sent: {}, stored: { tier: 'gold' } },
      ]);
      expect(await differing({ ...own, name: ' Ada ' }, email.toUpperCase())).toBeUndefined();
      // a PATCH of another affiliate is not compared with the owner
      const other = await account.affiliate();
      const refused = expectProblem(await rename(other.id, email), 409, 'affiliate_exists');
      expect([refused.affiliate_id, refused.errors]).toEqual([id, undefined]);
    });

    itReads(service)(
      'is the same in its other forms beyond ASCII, for claims and for the filter',
      async () => {
        const local = uniqueText('jörg');
        const forms = [
          `${local}@bücher.example`,
          `${local}@xn--bcher-kva.example`,
          `${local}@BÜCHER.example`.normalize('NFD'),
          `${local.toUpperCase()}@XN--BCHER-KVA.EXAMPLE`,
        ];
        const responses = await Promise.all(forms.map((email) => enroll(email)));
        expect(statusesOf(responses)).toEqual([201, 409, 409, 409]);
        const first = responses.find(({ status }) => status === 201)?.body;
        for (const response of responses.filter(({ status }) => status === 409))
          expect(expectProblem(response, 409, 'affiliate_exists').affiliate_id).toBe(first?.id);
        expect(forms).toContain(first?.email);
        for (const email of forms)
          expect(await account.all('/v1/affiliates', { email })).toEqual([first]);
        // in ASCII before the @, too
        const ada = uniqueText('ada');
        const { id } = expectStatus(201, await enroll(`${ada}@xn--bcher-kva.example`));
        expect(
          expectProblem(await enroll(`${ada}@bücher.example`), 409, 'affiliate_exists')
            .affiliate_id,
        ).toBe(id);
        // the affiliate itself may change the form that is shown
        for (const email of forms)
          expect(expectStatus(200, await rename(first?.id ?? '', email)).email).toBe(email);
      },
    );

    it('has the same rules as payout_email', async () => {
      const { id } = await account.affiliate();
      for (const payout_email of ['jörg@xn--a', 'a..b@example.com', 'a\u200bb@example.com'])
        expectIssues(
          await api.patch(`/v1/affiliates/${id}`, { payout_email }),
          'validation_failed',
          ['/payout_email'],
        );
      const payout_email = 'jörg@bücher.example';
      expect(
        expectStatus(200, await api.patch<Affiliate>(`/v1/affiliates/${id}`, { payout_email })),
      ).toMatchObject({ payout_email });
    });

    it('is free again after a delete', async () => {
      const email = uniqueEmail();
      const first = expectStatus(201, await enroll(email));
      expectStatus(204, await api.delete(`/v1/affiliates/${first.id}`));
      const second = expectStatus(201, await enroll(email.toUpperCase()));
      expect(second.id).not.toBe(first.id);
      expect(expectProblem(await enroll(email), 409, 'affiliate_exists').affiliate_id).toBe(
        second.id,
      );
    });

    it('can be changed to a free one, to another letter case, and back; the old one becomes free', async () => {
      const [old, fresh] = [uniqueEmail(), uniqueEmail()];
      const { id } = expectStatus(201, await enroll(old));
      expect(expectStatus(200, await rename(id, fresh)).email).toBe(fresh);
      expect(expectStatus(200, await rename(id, old)).email).toBe(old);
      expect(expectStatus(200, await rename(id, old.toUpperCase()))).toMatchObject({
        email: old.toUpperCase(),
        revision: 3,
      });
      expect(expectStatus(200, await rename(id, fresh)).email).toBe(fresh);
      const next = expectStatus(201, await enroll(old));
      expect(expectProblem(await rename(id, old), 409, 'affiliate_exists').affiliate_id).toBe(
        next.id,
      );
      expect((await api.get<Affiliate>(`/v1/affiliates/${id}`)).body).toMatchObject({
        email: fresh,
        revision: 4,
      });
    });

    it('makes the whole PATCH fail if it is taken', async () => {
      const [taken, before] = [await account.affiliate(), await account.affiliate()];
      expectProblem(
        await api.patch(`/v1/affiliates/${before.id}`, {
          email: taken.email,
          name: 'New',
          status: 'approved',
        }),
        409,
        'affiliate_exists',
      );
      expect((await api.get(`/v1/affiliates/${before.id}`)).body).toEqual(before);
      expectProblem(
        await api.patch(`/v1/affiliates/${before.id}`, {
          email: uniqueEmail(),
          status: 'suspended',
        }),
        409,
        'invalid_transition',
      );
      expect((await api.get(`/v1/affiliates/${before.id}`)).body).toEqual(before);
    });

    it('stays free if the PATCH is rejected', async () => {
      const { id } = await account.affiliate();
      const email = uniqueEmail();
      expectProblem(
        await api.patch(`/v1/affiliates/${id}`, { email, status: 'suspended' }),
        409,
        'invalid_transition',
      );
      expectProblem(
        await api.patch(`/v1/affiliates/${id}`, { email }, { headers: { 'if-match': '"7"' } }),
        412,
        'revision_mismatch',
      );
      expectStatus(201, await enroll(email));
    });

    itReads(service)(
      'fifty concurrent creates with it make one affiliate, which all other responses name',
      async () => {
        const email = uniqueEmail();
        const responses = await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            enroll(n % 2 === 0 ? email : email.toUpperCase(), { name: `Racer ${n}` }),
          ),
        );
        expect(statusesOf(responses)).toEqual([201, ...Array<number>(49).fill(409)]);
        const winner = responses.find(({ status }) => status === 201)?.body;
        for (const response of responses.filter(({ status }) => status === 409))
          expect(expectProblem(response, 409, 'affiliate_exists').affiliate_id).toBe(winner?.id);
        expect(await account.all('/v1/affiliates', { email })).toEqual([winner]);
      },
    );

    itReads(service)('of ten concurrent changes to it, one succeeds', async () => {
      const racers = await Promise.all(Array.from({ length: 10 }, () => account.affiliate()));
      const email = uniqueEmail();
      const responses = await Promise.all(racers.map(({ id }) => rename(id, email)));
      expect(statusesOf(responses)).toEqual([200, ...Array<number>(9).fill(409)]);
      const winner = responses.find(({ status }) => status === 200)?.body;
      expect(await account.all('/v1/affiliates', { email })).toEqual([winner]);
      for (const { id, email: own } of racers.filter((racer) => racer.id !== winner?.id))
        expect((await api.get<Affiliate>(`/v1/affiliates/${id}`)).body).toMatchObject({
          email: own,
          revision: 0,
        });
    });

    itReads(service)(
      'concurrent creates, changes and a delete never give two affiliates the same email, and lose none',
      async () => {
        for (let round = 0; round < 5; round++) {
          const email = uniqueEmail();
          const holder = expectStatus(201, await enroll(email));
          const changers = await Promise.all([account.affiliate(), account.affiliate()]);
          const race = await Promise.all([
            api.delete(`/v1/affiliates/${holder.id}`),
            ...Array.from({ length: 6 }, () => enroll(email)),
            ...changers.map(({ id }) => rename(id, email)),
            rename(holder.id, uniqueEmail()),
          ]);
          for (const { status, text } of race)
            expect([[200, 201, 204, 404, 409].includes(status), text]).toEqual([true, text]);
          const holders = await account.all<Affiliate>('/v1/affiliates', { email });
          const made = race
            .slice(1, -1)
            .filter(({ status }) => status < 300)
            .map(({ body }) => (body as Affiliate).id);
          expect(holders.map(({ id }) => id)).toEqual(made);
          if (made.length === 0) expectStatus(201, await enroll(email));
          else expectProblem(await enroll(email), 409, 'affiliate_exists');
        }
      },
    );

    it('two affiliates can swap emails through a third address', async () => {
      const [one, two, aside] = [
        await account.affiliate(),
        await account.affiliate(),
        uniqueEmail(),
      ];
      expectStatus(200, await rename(one.id, aside));
      expectStatus(200, await rename(two.id, one.email));
      expectStatus(200, await rename(one.id, two.email));
      const now = await Promise.all(
        [one, two].map(
          async ({ id }) => (await api.get<Affiliate>(`/v1/affiliates/${id}`)).body.email,
        ),
      );
      expect(now).toEqual([two.email, one.email]);
      expectStatus(201, await enroll(aside));
    });
  });
};
