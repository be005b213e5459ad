import {
  affiliateBody,
  expectStatus,
  startHookReceiver,
  TestAccount,
  uniqueEmail,
  type Affiliate,
  type ApiResponse,
  type HookReceiver,
  type Problem,
  type StandaloneService,
} from '@refledger/testing';
import { HeldService } from './held-service.js';

/** The fields that these tests read of an affiliate or a problem. */
type AffiliateOrProblem = Pick<Affiliate, 'id'> & Pick<Problem, 'code' | 'affiliate_id'>;

/**
 * Holds a writer of the real service between the two appends, while other requests arrive, or while
 * the process is killed or paused.
 */
describe('a writer held between the two appends of an e-mail claim', () => {
  let held: HeldService;
  let service: StandaloneService;
  let account: TestAccount;
  let receiver: HookReceiver;
  beforeAll(async () => {
    receiver = await startHookReceiver();
    held = await HeldService.start();
    service = held.service;
    account = await TestAccount.open(service);
    await account.subscribe(receiver.url('/'), [
      'affiliate.created',
      'affiliate.updated',
      'affiliate.deleted',
    ]);
  });
  afterAll(async () => {
    await receiver.close();
    await held.stop();
  });

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
    await release();
    expect((await response)?.body).toEqual(first);
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
    await release();
    await response;
    expect((await listed(email)).map((affiliate) => affiliate.id)).toEqual([next.id]);
    expect((await account.api.get(`/v1/affiliates/${id}`)).status).toBe(404);
  });

  it('with a change of e-mail: the new address is taken, and the old one is free for all rivals', async () => {
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
    await release();
    expect((await response)?.status).toBe(200);
    expect((await listed(after)).map((affiliate) => affiliate.id)).toEqual([id]);
    expect((await listed(before)).map((affiliate) => affiliate.id)).toEqual([next.id]);
  });

  it.each(['another claimant', 'its own repetition'])(
    'and killed there: %s finishes the claim, once',
    async (who) => {
      const email = uniqueEmail();
      const body = affiliateBody({ email });
      const { response } = await held.hold((headers) =>
        account.api.post<Affiliate>('/v1/affiliates', body, { headers }),
      );
      await service.restart('SIGKILL');
      expect(await response).toBeUndefined();
      expect(await listed(email)).toEqual([]);

      const rival = who === 'its own repetition' ? undefined : await create(email);
      if (rival !== undefined) expect(rival.status).toBe(409);
      const repeated = await account.api.post<Affiliate>('/v1/affiliates', body, {
        headers: held.key,
      });
      expect([200, 201]).toContain(repeated.status);
      if (rival !== undefined) expect(rival.body.affiliate_id).toBe(repeated.body.id);
      expect(await listed(email)).toEqual([repeated.body]);
      const hooks = await receiver.waitFor('/', (all) =>
        all.some(({ envelope }) => envelope.data.id === repeated.body.id),
      );
      expect(
        new Set(
          hooks
            .filter(({ envelope }) => envelope.data.id === repeated.body.id)
            .map(({ envelope }) => envelope.id),
        ).size,
      ).toBe(1);
    },
  );

  it('in a process that is suspended and resumes, with waiting rivals: one owns it', async () => {
    const email = uniqueEmail();
    const { response, release } = await held.hold((headers) => create(email, headers));
    service.signal('SIGSTOP');
    const rivals = [1, 2, 3].map(() => create(email));
    await release();
    service.signal('SIGCONT');
    const all = await Promise.all([response, ...rivals]);
    expect(all.map((one) => one?.status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(await listed(email)).toHaveLength(1);
  });
});
