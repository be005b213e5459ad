import {
  affiliateBody,
  expectStatus,
  startStandalone,
  TestAccount,
  uniqueEmail,
  uniqueText,
  type Affiliate,
  type Problem,
  type StandaloneService,
} from '@refledger/testing';

type Response = Pick<Affiliate, 'id'> & Pick<Problem, 'code' | 'affiliate_id'>;

/** apps/gateway/test/claims.e2e-spec.ts crashes between the two appends of a claim. */
describe('a hundred affiliates with one email address at once, killed in the middle', () => {
  let service: StandaloneService;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startStandalone({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
    account = await TestAccount.open(service);
  });
  afterAll(() => service.stop());

  it('are one affiliate, before and after', async () => {
    const email = uniqueEmail();
    const keys = Array.from({ length: 100 }, () => uniqueText('key'));
    const create = (key: string) =>
      account.api.post<Response>('/v1/affiliates', affiliateBody({ email, name: key }), {
        headers: { 'idempotency-key': key },
      });
    const sent = keys.map(create);
    const settled = Promise.allSettled(sent);
    await Promise.any(sent);
    await service.restart('SIGKILL');
    const before = (await settled).flatMap((one) => (one.status === 'fulfilled' ? one.value : []));

    const after = await Promise.all(keys.map(create));
    const [found, ...others] = await account.all<Affiliate>('/v1/affiliates', { email });
    expect(others).toEqual([]);
    const owners = after.filter(({ status }) => status !== 409);
    expect(owners.map(({ body }) => body)).toEqual([found]);
    for (const refused of after.filter(({ status }) => status === 409))
      expect(refused.body).toMatchObject({ code: 'affiliate_exists', affiliate_id: found?.id });
    for (const response of before)
      if (response.status !== 409) expect(expectStatus(201, response).id).toBe(found?.id);
  });
});
