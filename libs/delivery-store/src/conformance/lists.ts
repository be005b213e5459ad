/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { derivedId } from '@refledger/contracts';
import type { DeliverySummary } from '../delivery.js';
import { cursorOf, type DeliveryCursor, type DeliveryQuery } from '../delivery-query.js';
import type { AttemptResult } from '../scheduler-store.js';
import type { PlannedDelivery } from '../planner-store.js';
import {
  endpointOf,
  leaseOf,
  planOf,
  planned,
  resultOf,
  ended,
  retried,
  succeeded,
  t,
  unsent,
  type StoreUnderTest,
} from './under-test.js';

const accounts = [derivedId('account', 'one'), derivedId('account', 'two')] as const;
const endpoints = ['a', 'b', 'c'] as const;
/** An endpoint belongs to one account. */
const accountOf = (endpoint: (typeof endpoints)[number]) => accounts[endpoint === 'c' ? 1 : 0];
const kinds = ['conversion.created', 'conversion.approved'] as const;
const triggers = ['event', 'redeliver', 'replay', 'test'] as const;
const statuses = ['waiting', 'held', 'sending', 'succeeded', 'failed', 'canceled'] as const;

interface DeliveryCase {
  readonly endpoint: (typeof endpoints)[number];
  readonly event: number;
  readonly object: number;
  readonly kind: (typeof kinds)[number];
  readonly trigger: (typeof triggers)[number];
  readonly status: (typeof statuses)[number];
  /** The seconds at which it is planned and ends. */
  readonly from: number;
  readonly to: number;
}
const made: fc.Arbitrary<DeliveryCase> = fc.record({
  endpoint: fc.constantFrom(...endpoints),
  event: fc.integer({ min: 0, max: 9 }),
  object: fc.integer({ min: 0, max: 4 }),
  kind: fc.constantFrom(...kinds),
  trigger: fc.oneof(
    { weight: 3, arbitrary: fc.constant('event' as const) },
    fc.constantFrom(...triggers),
  ),
  status: fc.constantFrom(...statuses),
  from: fc.integer({ min: 0, max: 5 }),
  to: fc.integer({ min: 6, max: 9 }),
});

type Filters = Omit<DeliveryQuery, 'limit' | 'after'>;
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 1 });
const filters: fc.Arbitrary<Filters> = fc
  .record({
    accountId: fc.constantFrom(...accounts),
    endpointId: maybe(fc.constantFrom(...endpoints).map(endpointOf)),
    status: maybe(fc.constantFrom(...statuses)),
    eventType: maybe(fc.constantFrom(...kinds)),
    eventId: maybe(fc.integer({ min: 0, max: 9 }).map((n) => derivedId('event', String(n)))),
    objectId: maybe(fc.integer({ min: 0, max: 4 }).map((n) => derivedId('conversion', String(n)))),
    trigger: maybe(fc.constantFrom(...triggers)),
    finishedAfter: maybe(fc.integer({ min: 5, max: 10 }).map(t)),
    createdAfter: maybe(fc.integer({ min: 0, max: 5 }).map(t)),
    createdBefore: maybe(fc.integer({ min: 0, max: 6 }).map(t)),
    by: fc.constantFrom('created_at' as const, 'finished_at' as const),
    descending: fc.boolean(),
  })
  .map(({ by, descending, finishedAfter, createdAfter, createdBefore, ...rest }) => ({
    ...rest,
    order: { by, descending },
    ...(by === 'finished_at' ? { finishedAfter } : { createdAfter, createdBefore }),
  }));

/** The same list, by hand. */
const listed = (all: readonly DeliverySummary[], query: Filters): readonly string[] => {
  const { order, finishedAfter, createdAfter = '', createdBefore = '~' } = query;
  const compared = ['accountId', 'endpointId', 'status', 'eventType', 'eventId'] as const;
  const compare = (one: DeliverySummary, other: DeliverySummary): number => {
    const [a, b] = [cursorOf(one, order.by).join(' '), cursorOf(other, order.by).join(' ')];
    return (a < b ? -1 : 1) * (order.descending ? -1 : 1);
  };
  return all
    .filter((one) =>
      [...compared, 'objectId' as const, 'trigger' as const].every(
        (field) => query[field] === undefined || query[field] === one[field],
      ),
    )
    .filter(({ finishedAt }) => order.by === 'created_at' || finishedAt !== null)
    .filter(({ createdAt }) => createdAt > createdAfter && createdAt < createdBefore)
    .filter(({ finishedAt }) => finishedAfter === undefined || (finishedAt ?? '') > finishedAfter)
    .sort(compare)
    .map(({ id }) => id);
};

/** Tests the lists of the API. */
export const lists = (at: StoreUnderTest): void => {
  const toPlan = ({ endpoint, event, object, kind, trigger, status }: DeliveryCase, n: number) =>
    ({
      ...planned(endpoint, n, status === 'waiting' || status === 'held' ? status : 'sending'),
      accountId: accountOf(endpoint),
      eventId: derivedId('event', String(event)),
      objectId: derivedId('conversion', String(object)),
      eventType: kind,
      trigger,
    }) satisfies PlannedDelivery;

  const endOf = (
    { status, to }: DeliveryCase,
    delivery: PlannedDelivery,
  ): readonly AttemptResult[] => {
    const reason = 'for a reason';
    if (status === 'succeeded') return [succeeded(delivery, to)];
    if (status === 'canceled') return [unsent(delivery, to, 1, { status, reason })];
    const failed = ended(1, to, 'bad_status', 500);
    return status === 'failed' ? [resultOf(delivery, failed, { status, reason }, 1)] : [];
  };

  const walk = async (query: Filters, limit: number): Promise<readonly DeliverySummary[]> => {
    const found: DeliverySummary[] = [];
    for (let after: DeliveryCursor | undefined; ;) {
      const { deliveries, next } = await at.store.find({ ...query, limit, after });
      expect(deliveries.length).toBeLessThanOrEqual(limit);
      found.push(...deliveries);
      if (next === undefined) return found;
      after = next;
    }
  };

  describe('lists', () => {
    it('show every delivery that passes the filters once, in order', async () => {
      const all = fc.sample(made, { numRuns: 120, seed: 7 });
      for (let from = 0; from <= 5; from++) {
        const planned = all.flatMap((one, n) => (one.from === from ? [toPlan(one, n)] : []));
        await at.store.plan(planOf(planned, from), leaseOf('one', from, 1_000));
      }
      await at.store.recordOutcomes(
        all.flatMap((one, n) => endOf(one, toPlan(one, n))),
        'one',
      );
      const stored = await Promise.all(all.map((one, n) => at.store.get(toPlan(one, n).id)));
      const summaries = stored.flatMap((one) => {
        if (one === undefined) return [];
        const { body: _body, attempts: _attempts, payload: _payload, ...summary } = one;
        return [summary];
      });
      expect(summaries).toHaveLength(120);
      const byId = new Map(summaries.map((summary) => [summary.id, summary]));
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 4, max: 60 }), async (query, limit) => {
          const found = await walk(query, limit);
          expect(found.map(({ id }) => id)).toEqual(listed(summaries, query));
          expect(found).toEqual(found.map(({ id }) => byId.get(id)));
        }),
        { numRuns: 60 },
      );
    });

    it('continue after a delivery that was removed meanwhile', async () => {
      const deliveries = [1, 2, 3].map((n) => planned('a', n, 'sending'));
      await at.store.plan(planOf(deliveries), leaseOf('one', 1));
      await at.store.recordOutcomes(
        deliveries.map((delivery, n) => succeeded(delivery, n + 2)),
        'one',
      );
      const order = { by: 'finished_at', descending: false } as const;
      const query = { accountId: present(deliveries[0]).accountId, order, limit: 1 };
      const first = await at.store.find(query);
      expect(await at.store.expire(t(3), 10)).toBe(1);
      const second = await at.store.find({ ...query, after: first.next });
      expect([first, second].map(({ deliveries: [one] }) => one?.id)).toEqual([
        deliveries[0]?.id,
        deliveries[1]?.id,
      ]);
    });

    it('between two times omit both, on every page', async () => {
      for (let n = 1; n <= 6; n++)
        await at.store.plan(planOf([planned('a', n), planned('b', n)], n), leaseOf('one', n));
      const { accountId, endpointId } = planned('a', 1);
      for (const scope of [{ accountId }, { accountId, endpointId, status: 'waiting' as const }])
        for (const descending of [false, true]) {
          const order = { by: 'created_at', descending } as const;
          const seconds = async (bounds: Partial<Filters>): Promise<readonly string[]> => {
            const found = await walk({ ...scope, ...bounds, order }, 1);
            const times = [...new Set(found.map(({ createdAt }) => createdAt))];
            return descending ? times.reverse() : times;
          };
          expect(await seconds({ createdAfter: t(2), createdBefore: t(5) })).toEqual([t(3), t(4)]);
          expect(await seconds({ createdAfter: t(4) })).toEqual([t(5), t(6)]);
          expect(await seconds({ createdBefore: t(2) })).toEqual([t(1)]);
          expect(await seconds({ createdAfter: t(5), createdBefore: t(2) })).toEqual([]);
        }
    });

    it('end a page once a thousand deliveries have been examined, and continue with the next', async () => {
      const all = Array.from({ length: 1_500 }, (_, n) => planned('a', n));
      const sought = { ...planned('a', 1_500), eventType: 'conversion.approved' as const };
      await at.store.plan(planOf([...all, sought]), leaseOf('one', 1));
      const query = {
        accountId: sought.accountId,
        endpointId: sought.endpointId,
        status: 'waiting' as const,
        eventType: sought.eventType,
        order: { by: 'created_at', descending: false } as const,
        limit: 10,
      };
      const found = await walk(query, 10);
      expect(found.map(({ id }) => id)).toEqual([sought.id]);
      const first = await at.store.find(query);
      expect([first.deliveries.length < 2, first.next !== undefined]).toEqual([true, true]);
    });

    it('of another account’s endpoint or event are empty, and end', async () => {
      const delivery = planned('a', 1);
      await at.store.plan(planOf([delivery]), leaseOf('one', 1));
      const { endpointId, eventId } = delivery;
      const order = { by: 'created_at', descending: true } as const;
      for (const filter of [
        { endpointId },
        { eventId },
        { endpointId, status: 'waiting' as const },
      ])
        expect(await at.store.find({ accountId: accounts[1], ...filter, order, limit: 1 })).toEqual(
          { deliveries: [], next: undefined },
        );
    });

    it('show where a delivery stands', async () => {
      const delivery = planned('a', 1, 'sending');
      await at.store.plan(planOf([delivery]), leaseOf('one', 1));
      const order = { by: 'created_at', descending: true } as const;
      const query = { accountId: delivery.accountId, order, limit: 1 };
      expect(await at.store.find(query)).toMatchObject({
        deliveries: [{ status: 'sending', attemptCount: 1 }],
      });
      await at.store.recordOutcomes([retried(delivery, 50)], 'one');
      const { body: _body, payload: _payload, status: _status, ...fixed } = delivery;
      expect((await at.store.find(query)).deliveries).toEqual([
        {
          ...fixed,
          status: 'waiting',
          attemptCount: 1,
          failures: 1,
          dueAt: t(50),
          createdAt: t(1),
          finishedAt: null,
          reason: null,
          replayId: null,
        },
      ]);
    });
  });
};
