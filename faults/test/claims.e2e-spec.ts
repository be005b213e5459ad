import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  affiliateBody,
  eventually,
  expectStatus,
  startHookReceiver,
  startStandalone,
  TestAccount,
  uniqueEmail,
  type Affiliate,
  type ApiResponse,
  type HookReceiver,
  type Problem,
  type StandaloneService,
} from '@refledger/testing';

/** The fields that these tests read of an affiliate or a problem. */
type AffiliateOrProblem = Pick<Affiliate, 'id'> & Pick<Problem, 'code' | 'affiliate_id'>;

/**
 * Holds a writer of the real service after it has written its claim and before the append that the
 * claim names (src/preloads/held-claims.ts), while other requests arrive, or while the process is
 * killed or paused.
 */
describe('a writer held between the two appends of an e-mail claim', () => {
  let folder: string;
  let service: StandaloneService;
  let account: TestAccount;
  let receiver: HookReceiver;
  let held = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'refledger-claims-'));
    await mkdir(join(folder, 'held'));
    receiver = await startHookReceiver();
    const preload = fileURLToPath(new URL('../dist/preloads/held-claims.js', import.meta.url));
    service = await startStandalone({
      dataDir: join(folder, 'data'),
      env: { NODE_OPTIONS: `--import=${preload}`, FAULTS_HOLD: join(folder, 'held') },
    });
    account = await TestAccount.open(service);
    await account.subscribe(receiver.url('/'), [
      'affiliate.created',
      'affiliate.updated',
      'affiliate.deleted',
    ]);
  });
  afterAll(async () => {
    await receiver.close();
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (
    email: string,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<AffiliateOrProblem>> =>
    account.api.post('/v1/affiliates', affiliateBody({ email }), { headers });
  const key = (): Record<string, string> => ({ 'idempotency-key': `key-${held}` });
  const listed = (email: string): Promise<Affiliate[]> => account.all('/v1/affiliates', { email });
  const mark = (): string => join(folder, 'held', `held-${held}`);

  /** Starts a request and waits until it is held. */
  const hold = async <T>(
    send: (headers: Record<string, string>) => Promise<ApiResponse<T>>,
  ): Promise<{
    readonly response: Promise<ApiResponse<T> | undefined>;
    readonly release: () => Promise<void>;
  }> => {
    held++;
    const response = send({ 'x-request-id': `held-${held}`, ...key() }).catch(() => undefined);
    await eventually(() => expect(existsSync(mark())).toBe(true));
    return { response, release: () => rm(mark()) };
  };

  it('keeps its claim: others complete it, and are rejected with the affiliate’s id', async () => {
    const email = uniqueEmail();
    const { response, release } = await hold((headers) => create(email, headers));
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
    const { response, release } = await hold((headers) => create(email, headers));
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
    const { response, release } = await hold((headers) =>
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
      const { response } = await hold((headers) =>
        account.api.post<Affiliate>('/v1/affiliates', body, { headers }),
      );
      await service.restart('SIGKILL');
      expect(await response).toBeUndefined();
      expect(await listed(email)).toEqual([]);

      const rival = who === 'its own repetition' ? undefined : await create(email);
      if (rival !== undefined) expect(rival.status).toBe(409);
      const repeated = await account.api.post<Affiliate>('/v1/affiliates', body, {
        headers: key(),
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
    const { response, release } = await hold((headers) => create(email, headers));
    service.signal('SIGSTOP');
    const rivals = [1, 2, 3].map(() => create(email));
    await release();
    service.signal('SIGCONT');
    const all = await Promise.all([response, ...rivals]);
    expect(all.map((one) => one?.status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(await listed(email)).toHaveLength(1);
  });
});
