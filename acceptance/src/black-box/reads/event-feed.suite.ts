/// <reference types="jest" />
import {
  type Affiliate,
  type ApiClient,
  type ApiResponse,
  type Envelope,
  expectStatus,
  type Problem,
  type ServiceFactory,
  TestAccount,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem } from '../expect-problem.js';
import { writeEachType } from '../webhooks/write-each-type.js';

interface EventPage {
  readonly object: 'list';
  readonly data: readonly Envelope[];
  readonly has_more: boolean;
  readonly next_after?: string;
  readonly next_before?: string;
  readonly log_id: string;
  readonly position: string;
}
type Query = Readonly<Record<string, string>>;

/** Tests the events of an account: the list and single ones. */
export const eventFeedSuite = (service: ServiceFactory): void => {
  describe('the events of an account', () => {
    let account: TestAccount;
    let api: ApiClient;
    let deleted: Affiliate;
    let expected: readonly { type: string; position: string | undefined }[];
    beforeAll(async () => {
      account = await TestAccount.open(await service());
      api = account.api;
      ({ expected, deleted } = await writeEachType(account));
    });
    const get = (query: Query = {}): Promise<ApiResponse<EventPage>> =>
      api.get<EventPage>('/v1/events', { query });
    const page = async (query: Query = {}): Promise<EventPage> =>
      expectStatus(200, await get(query));
    const all = async (query: Query = {}): Promise<readonly Envelope[]> =>
      (await page({ limit: '100', ...query })).data;
    /** The types of events, in the order in which they were recorded. */
    const written = (): readonly string[] => [
      // the first affiliate registers its program
      'program.created',
      ...expected.map(({ type }) => type),
      'affiliate.deleted',
    ];

    it('include what was just written, in the order of the log, with whole records', async () => {
      const found = await page({ limit: '100' });
      expect(found.data.map(({ type }) => type)).toEqual(written());
      expect(found.data.slice(1, -1)).toMatchObject(expected);
      expect(found.data.at(-1)?.data).toMatchObject({ id: deleted.id, email: deleted.email });
      expect(found).toMatchObject({ object: 'list', has_more: false });
      const last = BigInt(found.data.at(-1)?.position ?? '');
      expect(BigInt(found.next_after ?? '')).toBeGreaterThanOrEqual(last);
      expect(BigInt(found.position)).toBeGreaterThanOrEqual(BigInt(found.next_after ?? ''));
      expect((await get()).header('refledger-position')).toMatch(/^\d+$/);
    });

    it.each([
      ['oldest first', {}],
      ['newest first', { sort: '-position' }],
      ['of some types', { types: 'conversion.*,adjustment.voided' }],
      ['of some types, newest first', { types: 'affiliate.*', sort: '-position' }],
    ])('are each on one page: %s', async (_name, query: Query) => {
      const whole = await all(query);
      expect(whole.length).toBeGreaterThan(3);
      const walked: Envelope[] = [];
      for (let [next, more]: [Query, boolean] = [{}, true]; more;) {
        const part = await page({ ...query, ...next, limit: '3' });
        walked.push(...part.data);
        more = part.has_more;
        next =
          part.next_after === undefined
            ? { before: part.next_before ?? '' }
            : { after: part.next_after };
      }
      expect(walked).toEqual(whole);
    });

    it('are filtered by type and by affiliate', async () => {
      const types = await all({ types: 'conversion.*,adjustment.voided' });
      expect(types.map(({ type }) => type)).toEqual(
        written().filter((type) => /^conversion\.|^adjustment\.voided$/.test(type)),
      );
      const [{ data: ada }] = (await all({ types: 'affiliate.created' })) as [Envelope];
      const ofAda = await all({ affiliate_id: ada.id });
      const isOfAda = ({ data }: Envelope): boolean =>
        data.id === ada.id || ('affiliate_id' in data && data.affiliate_id === ada.id);
      expect(ofAda).toEqual((await all()).filter(isOfAda));
      expect(ofAda.map(({ type }) => type)).toContain('adjustment.voided');
      expect(await all({ affiliate_id: unknownId('aff') })).toEqual([]);
    });

    it('have positions to continue from, also on an empty page', async () => {
      const { next_after: end = '', log_id } = await page({ limit: '100' });
      const nothing = await page({ after: end, log_id });
      expect(nothing).toMatchObject({ data: [], has_more: false });
      const { id } = await account.affiliate();
      const { data } = await page({ after: nothing.next_after ?? '', log_id });
      expect(data.map(({ type, data: record }) => [type, record.id])).toEqual([
        ['affiliate.created', id],
      ]);
    });

    it('are bounded by positions and times', async () => {
      const events = await all();
      const [third, sixth] = [events[2], events[5]];
      if (third === undefined || sixth === undefined) throw new Error('too few events');
      expect(await all({ after: third.position, before: sixth.position })).toEqual(
        events.slice(3, 5),
      );
      const at = (from: string, to: string) => (event: Envelope) =>
        event.timestamp >= from && event.timestamp <= to;
      expect(await all({ since: third.timestamp, until: sixth.timestamp })).toEqual(
        events.filter(at(third.timestamp, sixth.timestamp)),
      );
      expect(await all({ until: '2200-01-01T00:00:00Z' })).toEqual(events);
      expect(await all({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    });

    it('are read one by one, with the same bytes', async () => {
      const { text } = await get({ limit: '100' });
      for (const { position } of await all()) {
        const one = await api.get<Envelope>(`/v1/events/${position}`);
        expectStatus(200, one);
        expect(text).toContain(one.text);
      }
    });

    it('are not found where the account has none', async () => {
      const other = await TestAccount.open(await service());
      const [{ position: own }] = (await all()) as [Envelope];
      const foreign = await other.api.get(`/v1/events/${own}`);
      expectProblem(foreign, 404, 'not_found');
      for (const position of ['0', '99999999999999999999', 'first'])
        expectProblem(await api.get(`/v1/events/${position}`), 404, 'not_found');
      expect(expectStatus(200, await other.api.get<EventPage>('/v1/events')).data).toEqual([]);
    });

    it('are refused after a position that is not in the log', async () => {
      const [first, second] = (await all()) as [Envelope, Envelope];
      const { log_id, next_after = '' } = await page({ limit: '100' });
      expect((await all({ after: first.position, after_id: first.id }))[0]).toEqual(second);
      const refusals: readonly (readonly [string, Query])[] = [
        ['log_id', { log_id: 'another', after: first.position }],
        ['after_id', { after: first.position, after_id: second.id, log_id }],
        ['after_id', { after: '0', after_id: first.id }],
        ['after', { after: `${next_after}000` }],
      ];
      for (const [path, query] of refusals) {
        const response = await get(query);
        expectIssues(response, 'validation_failed', [path]);
        // a decoding boundary: the status was just checked
        const problem = response.body as unknown as Problem & Pick<EventPage, 'log_id'>;
        expect(problem).toMatchObject({ log_id, head: expect.stringMatching(/^\d+$/) as string });
      }
    });

    it.each<readonly [string, Query]>([
      ['after', { after: 'now' }],
      ['after_id', { after: '1', after_id: 'evt_1' }],
      ['after', { after_id: `evt_${'0'.repeat(26)}` }],
      ['before', { before: '-1' }],
      ['since', { since: '2200-01-01T00:00:00Z' }],
      ['until', { until: 'tomorrow' }],
      ['types', { types: 'conversion.*,sale.*' }],
      ['types', { types: '' }],
      ['affiliate_id', { affiliate_id: 'aff_1' }],
      ['sort', { sort: 'created_at' }],
      ['limit', { limit: '101' }],
    ])('need a valid %s: %j', async (path, query) => {
      expectIssues(await get(query), 'validation_failed', [path]);
    });
  });
};
