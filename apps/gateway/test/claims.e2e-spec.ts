import { newId } from '@refledger/contracts';
import {
  affiliateBody,
  expectStatus,
  uniqueEmail,
  type Affiliate,
  type ApiResponse,
  type Page,
  type Problem,
  type TestAccount,
} from '@refledger/testing';
import { HeldGateway } from './held-gateway.js';

/** The fields that these tests read of an affiliate or a problem. */
type AffiliateOrProblem = Pick<Affiliate, 'id'> & Pick<Problem, 'code' | 'affiliate_id'>;

let held: HeldGateway;
let account: TestAccount;
beforeAll(async () => {
  held = await HeldGateway.start();
  account = await held.openAccount();
});
afterAll(() => held.stop());

describe('a writer held between the two appends of an email claim', () => {
  const create = (
    email: string,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<AffiliateOrProblem>> =>
    account.api.post('/v1/affiliates', affiliateBody({ email }), { headers });
  const listed = (email: string): Promise<Affiliate[]> => account.all('/v1/affiliates', { email });

  it('keeps its claim: others complete it, and are rejected with the affiliate’s id', async () => {
    const email = uniqueEmail();
    const { response, release } = await held.hold((headers) => create(email, headers));
    const rivals = await Promise.all([1, 2, 3].map(() => create(email)));
    expect(rivals.map(({ status }) => status)).toEqual([409, 409, 409]);
    const [first] = await listed(email);
    expect(rivals.map(({ body }) => body.affiliate_id)).toEqual([first?.id, first?.id, first?.id]);
    release();
    expect((await response).body).toEqual(first);
    expect(await listed(email)).toHaveLength(1);
  });

  it('finds its affiliate created and deleted meanwhile, and does not create it again', async () => {
    const email = uniqueEmail();
    const { response, release } = await held.hold((headers) => create(email, headers));
    const {
      body: { affiliate_id: id },
    } = await create(email);
    expectStatus(204, await account.api.delete(`/v1/affiliates/${id}`));
    const next = expectStatus(201, await create(email));
    release();
    await response;
    expect((await listed(email)).map((affiliate) => affiliate.id)).toEqual([next.id]);
    expect((await account.api.get(`/v1/affiliates/${id}`)).status).toBe(404);
  });

  it('with a change of email: the new address is taken, and the old one is free for all rivals', async () => {
    const [before, after] = [uniqueEmail(), uniqueEmail()];
    const { id } = await account.affiliate({ email: before });
    const { response, release } = await held.hold((headers) =>
      account.api.patch<Affiliate>(`/v1/affiliates/${id}`, { email: after }, { headers }),
    );
    expect((await create(after)).body).toMatchObject({
      code: 'affiliate_exists',
      affiliate_id: id,
    });
    const next = expectStatus(201, await create(before));
    release();
    expect((await response).status).toBe(200);
    expect((await listed(after)).map((affiliate) => affiliate.id)).toEqual([id]);
    expect((await listed(before)).map((affiliate) => affiliate.id)).toEqual([next.id]);
  });

  it.each(['another claimant', 'its own repetition'])(
    'whose gateway crashes there: %s finishes the claim, once',
    async (who) => {
      const email = uniqueEmail();
      const body = affiliateBody({ email });
      await held.hold((headers) =>
        account.api.post<Affiliate>('/v1/affiliates', body, { headers }),
      );
      account = await held.crash(account);
      expect(await listed(email)).toEqual([]);

      const rival = who === 'its own repetition' ? undefined : await create(email);
      if (rival !== undefined) expect(rival.status).toBe(409);
      const repeated = await account.api.post<Affiliate>('/v1/affiliates', body, {
        headers: held.key,
      });
      expect([200, 201]).toContain(repeated.status);
      if (rival !== undefined) expect(rival.body.affiliate_id).toBe(repeated.body.id);
      expect(await listed(email)).toEqual([repeated.body]);
      expect(repeated.body.revision).toBe(0);
    },
  );

  it('released while rivals arrive: one owns it', async () => {
    const email = uniqueEmail();
    const { response, release } = await held.hold((headers) => create(email, headers));
    const rivals = [1, 2, 3].map(() => create(email));
    release();
    const all = await Promise.all([response, ...rivals]);
    expect(all.map((one) => one.status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(await listed(email)).toHaveLength(1);
  });
});

describe('an affiliate whose address and name an older release accepted', () => {
  const stored = { email: 'A..b@example.com', name: '\u202eadA\u200b' };
  let path: string;
  let affiliate: Affiliate;
  beforeAll(async () => {
    const id = newId('affiliate');
    const position = await held.store(account.id, id, stored);
    path = `/v1/affiliates/${id}`;
    affiliate = expectStatus(200, await account.api.get<Affiliate>(path));
    const { body } = await account.api.get<Page<Affiliate>>('/v1/affiliates', {
      query: { email: 'a..B@EXAMPLE.com' },
      headers: { 'refledger-min-position': position },
    });
    expect(body.data).toEqual([affiliate]);
  });

  it('is shown as it is, and its other fields can be changed', async () => {
    expect(affiliate).toMatchObject(stored);
    const patch = { status: 'approved', metadata: { a: 'b' }, payout_hold: true } as const;
    expect(expectStatus(200, await account.api.patch<Affiliate>(path, patch))).toMatchObject({
      ...stored,
      ...patch,
    });
  });

  it('cannot be given them again, but others', async () => {
    for (const patch of [
      { email: stored.email },
      { payout_email: stored.email },
      { name: stored.name },
    ])
      expect((await account.api.patch(path, patch)).status).toBe(422);
    const others = { email: 'jörg@bücher.example', name: 'Jörg' };
    expect(expectStatus(200, await account.api.patch<Affiliate>(path, others))).toMatchObject(
      others,
    );
    expect(await account.all('/v1/affiliates', { email: stored.email })).toEqual([]);
    expect(
      await account.all('/v1/affiliates', { email: 'JÖRG@xn--bcher-kva.example' }),
    ).toMatchObject([others]);
  });
});
