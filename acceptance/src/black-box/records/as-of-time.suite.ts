/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Change,
  type Conversion,
  day,
  expectStatus,
  type MovableClock,
  type ServiceFactory,
  TestAccount,
  uniqueEmail,
  uniqueText,
  waitFor,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';

const minute = 60_000;

/** Tests records as of a time. `clock` is the service's. */
export const asOfTimeSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('a record as of a time', () => {
    let account: TestAccount;
    let api: ApiClient;
    let affiliate: Affiliate;
    beforeAll(
      async () =>
        void ({ account, api, affiliate } = await TestAccount.withAffiliate(await service())),
    );
    afterAll(() => clock.moveTo(0));

    const read = <T>(path: string, as_of: string): Promise<ApiResponse<T>> =>
      api.get(path, { query: { as_of } });
    const asOf = ({ header }: ApiResponse): string => header('refledger-as-of') ?? '';
    const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

    /** A time after everything that was answered, and before everything that is sent next. */
    const now = async (): Promise<string> => {
      const time = Date.now();
      await waitFor(() => Date.now() > time);
      return new Date(time).toISOString();
    };

    it('is the record after its last change up to then', async () => {
      const sale = await account.conversion(affiliate.id);
      const path = `/v1/conversions/${sale.id}`;
      const moments = [{ at: await now(), record: sale }];
      for (const status of ['approved', 'refunded'] as const) {
        const record = await account.update(sale, { status });
        moments.push({ at: await now(), record });
      }
      for (const { at, record } of moments) {
        const then = await read<Conversion>(path, at);
        expect(expectStatus(200, then)).toEqual(record);
        expect(then.header('etag')).toBeUndefined();
        expect(expectStatus(200, await read(path, asOf(then)))).toEqual(record);
      }
    });

    it('is the same in any notation of the time', async () => {
      const affiliate = await account.affiliate();
      const path = `/v1/affiliates/${affiliate.id}`;
      const at = await now();
      await account.update(affiliate, { name: 'New' });
      const east = new Date(Date.parse(at) + 2 * 60 * minute).toISOString();
      for (const time of [at, east.replace('Z', '+02:00'), at.replace('Z', '999Z')])
        expect(expectStatus(200, await read(path, time))).toEqual(affiliate);
    });

    it('exists at the time at which it was created or got another email address', async () => {
      for (let n = 0; n < 10; n++) {
        // its program is created with it
        const created = await account.affiliate({ program_id: uniqueText('prog_new') });
        await now();
        const changed = await account.update(created, { email: uniqueEmail() });
        await now();
        for (const affiliate of [created, changed]) {
          const then = await read<Affiliate>(`/v1/affiliates/${created.id}`, affiliate.updated_at);
          expect([n, expectStatus(200, then)]).toEqual([n, affiliate]);
        }
      }
    });

    it('does not exist before it was created, nor once an affiliate is deleted: 404', async () => {
      const created = await account.affiliate();
      const path = `/v1/affiliates/${created.id}`;
      for (const time of [
        later(created.created_at, -1),
        '2001-01-01T00:00:00Z',
        '0001-01-01T00:00:00Z',
      ])
        expectProblem(await read(path, time), 404, 'not_found');
      await api.delete(path);
      expectProblem(await read(path, created.created_at), 404, 'not_found');
      expectProblem(await read('/v1/affiliates/aff_unknown', created.created_at), 404, 'not_found');
    });

    it('ahead of the clock is refused', async () => {
      for (const time of [new Date(Date.now() + minute).toISOString(), '9999-12-31T23:59:59-23:59'])
        expectIssues(await read(`/v1/affiliates/${affiliate.id}`, time), 'validation_failed', [
          'as_of',
        ]);
    });

    it('shows one instant for all records, across a clock that was set back', async () => {
      const sales = await Promise.all([1, 2, 3, 4].map(() => account.conversion(affiliate.id)));
      // the shifts of the clock for each change, and the sale that is changed
      const shifts = [0, 5 * minute, -3 * minute, 5 * minute + 10, -day, 2 * minute, 6 * minute];
      for (const [n, shift] of shifts.entries()) {
        await clock.moveTo(shift);
        for (const sale of [sales[n % 4], sales[(n + 1) % 4]])
          await account.update(sale ?? affiliate, { metadata: { n: `${n}` } });
      }
      await clock.moveTo(20 * minute);
      // settles every earlier time
      await account.affiliate();

      const paths = sales.map(({ id }) => `/v1/conversions/${id}`);
      const changes: Change[] = [];
      for (const path of paths) changes.push(...(await account.all<Change>(`${path}/history`)));
      for (const at of new Set(changes.map(({ at }) => at))) {
        const responses = await Promise.all(paths.map((path) => read<Conversion>(path, at)));
        const shown = responses.filter(({ status }) => status === 200);
        expect(shown).not.toEqual([]);
        // the other sales did not exist yet
        for (const response of responses.filter(({ status }) => status !== 200))
          expectProblem(response, 404, 'not_found');
        expect(new Set(shown.map(asOf)).size).toBeLessThanOrEqual(1);
        for (const response of shown) {
          const path = `/v1/conversions/${response.body.id}`;
          expect((await read(path, asOf(response))).body).toEqual(response.body);
          // log time has not passed `at` there, so no record shows a later change
          expect(response.body.updated_at <= at).toBe(true);
        }
      }
    });
  });
};
