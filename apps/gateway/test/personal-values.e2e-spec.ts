import { Posting } from '@refledger/balances';
import {
  eventually,
  expectStatus,
  uniqueEmail,
  uniqueText,
  type Affiliate,
  type Change,
  type Page,
  type Problem,
  type TestAccount,
} from '@refledger/testing';
import { HeldGateway } from './held-gateway.js';

let held: HeldGateway;
let account: TestAccount;
beforeAll(async () => {
  held = await HeldGateway.start();
  account = await held.openAccount();
});
afterAll(() => held.stop());
afterEach(() => {
  held.keys.isMissing = () => false;
  held.keys.isErased = () => false;
});

const pathOf = ({ id }: Pick<Affiliate, 'id'>): string => `/v1/affiliates/${id}`;

/** How keys are read while something happens. */
const readsDuring = async (act: () => Promise<unknown>) => {
  held.keys.reads.length = 0;
  await act();
  return [...held.keys.reads];
};

describe('the personal values of affiliates', () => {
  it('are opened with one call for keys for each page of a list', async () => {
    const program_id = (await account.program()).id;
    const affiliates: Affiliate[] = [];
    for (let n = 0; n < 3; n++) affiliates.push(await account.affiliate({ program_id }));

    const reads = await readsDuring(async () => {
      const { body } = await account.api.get<Page<Affiliate>>('/v1/affiliates', {
        query: { program_id, sort: 'created_at', limit: 2 },
      });
      expect(body.data).toEqual(affiliates.slice(0, 2));
    });

    expect(reads).toEqual([affiliates.slice(0, 2).map(({ id }) => id)]);
  });

  it('take no key when a page is empty', async () => {
    const query = { program_id: (await account.program()).id };
    expect(await readsDuring(() => account.all('/v1/affiliates', query))).toEqual([]);
  });

  it('find an affiliate by its email in any form, in its own account', async () => {
    const local = uniqueText('jörg');
    const affiliate = await account.affiliate({ email: `${local}@bücher.example` });
    const other = await held.openAccount();
    const namesake = await other.affiliate({ email: `${local}@bücher.example` });

    for (const email of [
      `${local}@bücher.example`,
      `${local.toUpperCase()}@BÜCHER.example`,
      `${local}@xn--bcher-kva.example`,
    ]) {
      expect(await account.all('/v1/affiliates', { email })).toEqual([affiliate]);
      expect(await other.all('/v1/affiliates', { email })).toEqual([namesake]);
    }
    expect(await account.all('/v1/affiliates', { email: `${local}@buecher.example` })).toEqual([]);
  });

  it('find affiliates by their external id, exactly, until they have another', async () => {
    const external_id = uniqueText('User');
    const [first, second] = [
      await account.affiliate({ external_id }),
      await account.affiliate({ external_id }),
    ];
    const found = (external_id: string): Promise<Affiliate[]> =>
      account.all('/v1/affiliates', { external_id, sort: 'created_at' });

    expect(await found(external_id)).toEqual([first, second]);
    expect(await found(external_id.toLowerCase())).toEqual([]);
    expect(
      await account.all('/v1/affiliates', { external_id, email: second.email.toUpperCase() }),
    ).toEqual([second]);

    const next = await account.update(first, { external_id: `${external_id}-2` });
    expect(await found(external_id)).toEqual([second]);
    expect(await found(`${external_id}-2`)).toEqual([next]);
    await account.update(next, { external_id: null });
    expect(await found(`${external_id}-2`)).toEqual([]);
  });

  it('are opened with one call for keys for each page of a history', async () => {
    const affiliate = await account.affiliate({ metadata: { team: 'a', kept: 'x' } });
    const redirected = await account.update(affiliate, {
      payout_email: 'pay@example.com',
      metadata: { team: 'b', kept: 'x' },
    });
    await account.update(redirected, { status: 'approved' });

    const reads = await readsDuring(async () => {
      const { body } = await account.api.get<Page<Change>>(`${pathOf(affiliate)}/history`, {
        query: { sort: 'revision', limit: 2, include: 'record' },
      });
      expect(body.data.map(({ type }) => type)).toEqual(['affiliate.created', 'affiliate.updated']);
      expect(body.data[1]).toMatchObject({
        changes: [
          { path: '/payout_email', before: null, after: 'pay@example.com' },
          { path: '/metadata/team', before: 'a', after: 'b' },
        ],
        record: redirected,
      });
    });

    expect(reads.flat().every((owner) => owner === affiliate.id)).toBe(true);
    // for the changes, and for the records after them
    expect(reads).toHaveLength(2);
  });
});

describe('an affiliate whose key is missing', () => {
  let program_id: string;
  let affiliate: Affiliate;
  beforeEach(async () => {
    program_id = (await account.program()).id;
    affiliate = await account.affiliate({ program_id });
    const position = (await account.api.get(pathOf(affiliate))).header('refledger-position');
    expectStatus(
      200,
      await account.api.get('/v1/affiliates', {
        query: { program_id },
        headers: { 'refledger-min-position': position ?? '' },
      }),
    );
    held.keys.isMissing = (owner) => owner === affiliate.id;
  });

  it.each([
    ['read', () => account.api.get<Problem>(pathOf(affiliate))],
    ['read as it was', () => account.api.get<Problem>(pathOf(affiliate), { query: asOfNow() })],
    ['listed', () => account.api.get<Problem>('/v1/affiliates', { query: { program_id } })],
    ['found', () => account.api.get<Problem>('/v1/affiliates', { query: byEmail() })],
    ['read with its history', () => account.api.get<Problem>(`${pathOf(affiliate)}/history`)],
    ['changed', () => account.api.patch<Problem>(pathOf(affiliate), { name: 'Bea' })],
    ['given another email', () => account.api.patch<Problem>(pathOf(affiliate), byEmail('new'))],
  ])('is not %s: the answer is 503 unavailable, and names it', async (_, send) => {
    const response = await send();

    expect([response.status, response.body.code]).toEqual([503, 'unavailable']);
    expect(response.body.detail).toContain(affiliate.id);
    expect(response.header('retry-after')).toBeDefined();
  });

  it('is as it was once its key is restored', async () => {
    await account.api.patch(pathOf(affiliate), { name: 'Bea', status: 'approved' });
    held.keys.isMissing = () => false;

    expect(expectStatus(200, await account.api.get(pathOf(affiliate)))).toEqual(affiliate);
  });

  it('keeps its email: whoever asks for it is told to retry', async () => {
    const body = { email: affiliate.email, name: 'Rival', program_id };
    const refused = await account.api.post<Problem>('/v1/affiliates', body);
    held.keys.isMissing = () => false;
    const repeated = await account.api.post<Problem>('/v1/affiliates', body);

    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(refused.body.detail).toContain(affiliate.id);
    expect(repeated.body).toMatchObject({
      code: 'affiliate_exists',
      affiliate_id: affiliate.id,
      errors: [{ path: '/name' }],
    });
  });

  it('does not keep others from being listed on pages without it', async () => {
    const next = await account.affiliate({ program_id });
    const query = { program_id, sort: '-created_at', limit: 1 };
    const { body } = await account.api.get<Page<Affiliate>>('/v1/affiliates', { query });

    expect(body).toMatchObject({ data: [next], has_more: true });
    const { status } = await account.api.get('/v1/affiliates', {
      query: { ...query, cursor: body.next_cursor ?? '' },
    });
    expect(status).toBe(503);
  });

  it('can be deleted', async () => {
    expectStatus(204, await account.api.delete(pathOf(affiliate)));

    expect((await account.api.get(pathOf(affiliate))).status).toBe(404);
    await eventually(async () =>
      expect(await account.all('/v1/affiliates', { program_id })).toEqual([]),
    );
  });

  const asOfNow = () => ({ as_of: new Date().toISOString() });
  const byEmail = (prefix = '') => ({ email: `${prefix}${affiliate.email}` });
});

describe('an account whose key is missing', () => {
  it('creates and finds no affiliate by a value, until the key is restored', async () => {
    const own = await held.openAccount();
    held.keys.isMissing = (owner) => owner === own.id;
    const sent = { email: uniqueEmail(), name: 'Ada', program_id: 'prog_spring' };
    const create = () => own.api.post<Problem>('/v1/affiliates', sent);
    const find = (query: Readonly<Record<string, string>>) =>
      own.api.get<Problem>('/v1/affiliates', { query });
    for (const { status, body } of [
      await create(),
      await find({ email: sent.email }),
      await find({ external_id: 'crm' }),
      await find({ q: 'ada' }),
    ]) {
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(body.detail).toContain(own.id);
    }
    expect((await own.api.get<Page<Affiliate>>('/v1/affiliates')).body.data).toEqual([]);
    held.keys.isMissing = () => false;
    expectStatus(201, await create());
  });
});

describe('an erased affiliate whose deletion no read model has yet', () => {
  it('is left out of lists, whose other records all follow', async () => {
    const program_id = (await account.program()).id;
    const affiliates: Affiliate[] = [];
    for (let n = 0; n < 5; n++) affiliates.push(await account.affiliate({ program_id }));
    const [first, second, third, fourth, fifth] = affiliates;
    // the last one of a page, and a whole page
    const erased = [second?.id, third?.id, fourth?.id];
    held.keys.isErased = (owner) => erased.some((id) => id === owner);

    const query = { program_id, sort: 'created_at', limit: 2 };
    const { body } = await account.api.get<Page<Affiliate>>('/v1/affiliates', { query });
    expect(body).toMatchObject({ data: [first], has_more: true });
    expect(await account.all('/v1/affiliates', query)).toEqual([first, fifth]);
    expect(await account.all('/v1/affiliates', { email: second?.email ?? '' })).toEqual([]);
  });
});

describe('without any key', () => {
  const stopped = new AbortController();
  let posted: Promise<void>;
  beforeAll(() => {
    const { log, store } = held.engines;
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const posting = new Posting({ log, store, logger });
    posted = posting.run((batch) => posting.post(batch), stopped.signal);
  });
  afterAll(async () => {
    stopped.abort();
    await posted;
  });

  it('sales are recorded, approved, shown and paid', async () => {
    const terms = { type: 'percentage', rate_bps: 2_000, hold_days: 0 };
    const program = await account.program({ terms });
    const { id } = await account.update(
      await account.affiliate({ program_id: program.id, email: uniqueEmail() }),
      { status: 'approved' },
    );
    held.keys.isMissing = () => true;

    const reads = await readsDuring(async () => {
      const sale = await account.conversion(id);
      const approved = await account.update(sale, { status: 'approved' });
      expect(await account.all('/v1/conversions', { affiliate_id: id })).toEqual([approved]);
      await account.adjustment(id, { amount: 5 });
      const payout = await account.payout(id);
      expect(payout).toMatchObject({ affiliate_id: id, status: 'created' });
      expect(expectStatus(200, await account.api.get(`/v1/payouts/${payout.id}`))).toEqual(payout);
      await account.update(payout, { status: 'processing' });
    });

    expect(reads).toEqual([]);
  });
});
