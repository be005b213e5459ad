/// <reference types="jest" />
import {
  type Delivery,
  expectStatus,
  type Page,
  type MovableClock,
  type ServiceFactory,
  unknownId,
} from '@refledger/testing';
import { expectIssues, expectProblem, like } from '../expect-problem.js';
import { HookedAccount, type HookedEndpoint } from './hooked-account.js';

/** Tests the lists of deliveries and single ones, on a service with `retrySettings`. */
export const deliveriesSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('deliveries', () => {
    let hooked: HookedAccount;
    let good: HookedEndpoint;
    let bad: HookedEndpoint;
    let all: readonly Delivery[];
    const list = (query: Readonly<Record<string, string | number>> = {}, path = '/v1/deliveries') =>
      hooked.account.all<Delivery>(path, query);
    /** Of the deliveries of this kind, the one that ended last. */
    const theOne = (is: (delivery: Delivery) => boolean): Delivery => {
      const found = all.find(is);
      if (found === undefined) throw new Error('there is no such delivery');
      return found;
    };
    const ids = (deliveries: readonly Delivery[]): readonly string[] =>
      deliveries.map(({ id }) => id);

    beforeAll(async () => {
      hooked = await HookedAccount.open(service, clock);
      good = await hooked.subscribe(['conversion.created', 'conversion.approved']);
      bad = await hooked.subscribe();
      hooked.receiver.script(bad.at, () => ({ status: 500 }));
      for (const sale of await hooked.sell(3))
        await hooked.account.update(sale, { status: 'approved' });
      all = await hooked.whileRetrying(bad.id, async () => {
        const finished = await list({ sort: '-finished_at' });
        expect(finished).toHaveLength(9);
        return finished;
      });
    });
    afterAll(() => hooked.close());

    it('are shown with what became of them', () => {
      const [succeeded] = all.filter(({ status }) => status === 'succeeded');
      expect(succeeded).toEqual({
        id: like.id('dlv'),
        object: 'delivery',
        endpoint_id: good.id,
        event_id: like.id('evt'),
        type: like.text(/^conversion\.(created|approved)$/),
        object_id: like.id('conv'),
        position: like.text(/^\d+$/),
        status: 'succeeded',
        trigger: 'event',
        replay_id: null,
        attempt_count: 1,
        next_attempt_at: null,
        reason: null,
        created_at: like.instant(),
        finished_at: like.instant(),
        recovered_by: null,
      });
      const failed = all.filter(({ status }) => status === 'failed');
      expect(failed).toHaveLength(3);
      for (const delivery of failed)
        expect(delivery).toMatchObject({
          endpoint_id: bad.id,
          attempt_count: 5,
          reason: 'given up after 5 failed attempts; last error: the response was 500',
        });
    });

    it('on their own have the body as it was sent, and every attempt', async () => {
      const failed = theOne(({ status }) => status === 'failed');
      const { body, attempts, ...delivery } = await hooked.delivery(failed);
      expect(delivery).toEqual(failed);
      const hooks = hooked.receiver.hooks(bad.at);
      const sent = hooks.filter(({ headers }) => headers['x-service-delivery'] === failed.id);
      expect(sent.map(({ bytes }) => bytes.toString())).toEqual(Array(5).fill(body));
      expect(attempts).toEqual(
        [1, 2, 3, 4, 5].map((number) => ({
          number,
          started_at: like.instant(),
          duration_ms: expect.any(Number) as number,
          outcome: 'bad_status',
          status_code: 500,
          error: null,
          address: '127.0.0.1',
          response_headers:
            number < 4 ? null : (expect.objectContaining({ connection: 'keep-alive' }) as object),
          response_body: number < 4 ? null : '',
          response_truncated: false,
          retry_after: null,
        })),
      );
    });

    const filters: readonly [string, () => Readonly<Partial<Delivery>>][] = [
      ['status', () => ({ status: 'failed' })],
      ['a status that none has', () => ({ status: 'canceled' })],
      ['type', () => ({ type: 'conversion.approved' })],
      ['event', () => ({ event_id: theOne(() => true).event_id })],
      ['an event that none is of', () => ({ event_id: unknownId('evt') })],
      ['record', () => ({ object_id: theOne(() => true).object_id })],
      ['trigger', () => ({ trigger: 'event' })],
      ['a trigger that made none', () => ({ trigger: 'replay' })],
      ['endpoint', () => ({ endpoint_id: bad.id })],
      ['several fields', () => ({ endpoint_id: good.id, type: 'conversion.created' })],
    ];
    it.each(filters)('are filtered by %s', async (_name, filter) => {
      const query = Object.fromEntries(Object.entries(filter()));
      const wanted = all.filter((delivery) =>
        Object.entries(delivery).every(([field, value]) => (query[field] ?? value) === value),
      );
      for (const limit of [1, 2, 100]) {
        const found = await list({ ...query, limit });
        expect([...ids(found)].sort()).toEqual([...ids(wanted)].sort());
      }
    });

    it('are those that ended after an instant', async () => {
      const ends = all.map(({ finished_at }) => finished_at ?? '');
      for (const end of ends) {
        const found = await list({ finished_after: end, sort: 'created_at', limit: 2 });
        const wanted = ends.filter((one) => one > end);
        expect(found.map(({ finished_at }) => finished_at)).toEqual(wanted.sort());
      }
    });

    describe('created between two instants', () => {
      let bounds: { readonly created_after: string; readonly created_before: string };
      beforeAll(() => {
        const times = all.map(({ created_at }) => created_at).sort();
        bounds = { created_after: times[1] ?? '', created_before: times[7] ?? '' };
      });
      const wanted = async ({
        created_after = '',
        created_before = '~',
        created_from = '',
        created_to = '~',
        ...filter
      }: Query) =>
        (await list({ ...filter, sort: 'created_at' })).filter(
          ({ created_at: at }) =>
            at > created_after && at < created_before && at >= created_from && at < created_to,
        );

      it('are listed by creation, with any filters', async () => {
        const { created_after, created_before } = bounds;
        const own = `/v1/webhooks/${bad.id}/deliveries`;
        const times: readonly Query[] = [
          { created_after },
          { created_before },
          bounds,
          { created_after: created_before, created_before: created_after },
          { created_from: created_after, created_to: created_before },
        ];
        const filters: readonly Query[] = [
          {},
          { status: 'failed' },
          { type: 'conversion.created' },
        ];
        for (const within of times)
          for (const filter of filters) {
            const query = { ...within, ...filter };
            const found = await wanted(query);
            expect(await list({ ...query, sort: 'created_at', limit: 2 })).toEqual(found);
            expect(await list({ ...query, limit: 4 })).toEqual(found.toReversed());
            expect(await list({ ...query, limit: 2, sort: 'created_at' }, own)).toEqual(
              found.filter(({ endpoint_id }) => endpoint_id === bad.id),
            );
          }
      });

      it('have cursors of their own', async () => {
        const query = { ...bounds, limit: 1 };
        const first = await hooked.api.get<Page<Delivery>>('/v1/deliveries', { query });
        const cursor = expectStatus(200, first).next_cursor ?? '';
        for (const other of [
          {},
          { created_after: bounds.created_after },
          { ...bounds, sort: 'created_at' },
        ])
          expectIssues(
            await hooked.api.get('/v1/deliveries', { query: { ...other, cursor } }),
            'validation_failed',
            ['cursor'],
          );
      });
    });

    it.each([
      [{ sort: 'finished_at' }, ['sort']],
      [{ sort: '-finished_at' }, ['sort']],
      [{ finished_after: '2026-01-01T00:00:00Z' }, ['finished_after']],
      [{ sort: 'finished_at', finished_after: '2026-01-01T00:00:00Z' }, ['sort', 'finished_after']],
    ])('between two instants cannot be sorted by their end: %j', async (query, paths) => {
      for (const bound of ['created_after', 'created_before', 'created_from', 'created_to'])
        for (const path of ['/v1/deliveries', `/v1/webhooks/${good.id}/deliveries`]) {
          const bounded = { ...query, [bound]: '2026-01-01T00:00:00Z' };
          expectIssues(await hooked.api.get(path, { query: bounded }), 'validation_failed', paths);
        }
    });

    it('of one endpoint are those with its id', async () => {
      for (const { id } of [good, bad])
        expect(await list({}, `/v1/webhooks/${id}/deliveries`)).toEqual(
          await list({ endpoint_id: id }),
        );
    });

    it('of an endpoint that never existed are refused', async () => {
      const endpoint_id = unknownId('whk');
      for (const query of [{ endpoint_id }, { endpoint_id, status: 'failed', limit: '1' }]) {
        const response = await hooked.api.get('/v1/deliveries', { query });
        expectIssues(response, 'validation_failed', ['endpoint_id']);
      }
      const path = `/v1/webhooks/${endpoint_id}/deliveries`;
      for (const query of [{}, { status: 'failed' }])
        expectProblem(await hooked.api.get(path, { query }), 404, 'not_found');
    });

    it('of a new endpoint, or with filters that none passes, are none', async () => {
      const fresh = await hooked.subscribe(['payout.created']);
      expect(await list({ endpoint_id: fresh.id })).toEqual([]);
      expect(await list({}, `/v1/webhooks/${fresh.id}/deliveries`)).toEqual([]);
      expect(await list({ endpoint_id: good.id, status: 'canceled' })).toEqual([]);
    });

    it.each(['created_at', 'finished_at'] as const)(
      'are sorted by %s, both ways',
      async (field) => {
        const up = await list({ sort: field, limit: 2 });
        expect(up).toHaveLength(9);
        expect(up.map((delivery) => delivery[field])).toEqual(
          all.map((delivery) => delivery[field]).sort(),
        );
        expect(await list({ sort: `-${field}`, limit: 4 })).toEqual([...up].reverse());
      },
    );

    it('are read with scope `read`, and not changed by it', async () => {
      const reader = await hooked.account.withScope('read');
      expect(expectStatus(200, await reader.get<Page<Delivery>>('/v1/deliveries')).data).toEqual(
        await list(),
      );
    });

    it('that are unknown, or of another endpoint, are not found', async () => {
      const delivery = theOne(({ endpoint_id }) => endpoint_id === good.id);
      for (const path of [
        `/v1/webhooks/${good.id}/deliveries/${unknownId('dlv')}`,
        `/v1/webhooks/${good.id}/deliveries/nonsense`,
        `/v1/webhooks/nonsense/deliveries`,
        `/v1/webhooks/${bad.id}/deliveries/${delivery.id}`,
      ])
        expectProblem(await hooked.api.get(path), 404, 'not_found');
    });

    it('of a deleted endpoint are still found by its id, and nothing below it is', async () => {
      const { at, id } = await hooked.subscribe();
      hooked.receiver.script(at, () => ({ status: 204 }));
      await hooked.sell();
      const kept = await hooked.waitForDeliveries(id, 'succeeded', 1);
      expectStatus(204, await hooked.api.delete(`/v1/webhooks/${id}`));
      expect(await list({ endpoint_id: id })).toEqual(kept);
      expect(await list({ endpoint_id: id, status: 'failed' })).toEqual([]);
      const deliveries = `/v1/webhooks/${id}/deliveries`;
      for (const path of [deliveries, `${deliveries}/${kept[0]?.id}`])
        expectProblem(await hooked.api.get(path), 404, 'not_found');
    });

    it.each([
      { status: 'due' },
      { type: 'conversion.unknown' },
      { trigger: 'retry' },
      { sort: 'position' },
      { finished_after: 'yesterday' },
      { created_after: 'yesterday' },
      { created_before: '' },
      { cursor: 'nonsense' },
      { limit: '0' },
      { endpoint_id: 'nonsense' },
      { endpoint_id: unknownId('conv') },
      { event_id: unknownId('dlv') },
      { object_id: unknownId('evt') },
      ...filterNames.map((name) => ({ [name]: '' })),
    ])('reject the parameter %j', async (query) => {
      const response = await hooked.api.get('/v1/deliveries', { query });
      expectIssues(response, 'validation_failed', Object.keys(query));
    });
  });
};

type Query = Readonly<Record<string, string>>;

const filterNames = [
  ...['endpoint_id', 'event_id', 'object_id', 'status', 'type', 'trigger', 'finished_after'],
  ...['sort', 'cursor', 'limit'],
];
