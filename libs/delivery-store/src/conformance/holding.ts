/// <reference types="jest" />
import type { Position } from '@refledger/contracts';
import {
  endpointOf,
  leaseOf,
  planOf,
  planned,
  plannedHeld,
  resultOf,
  ended,
  retried,
  succeeded,
  t,
  unsubscribedAt,
  type StoreUnderTest,
} from './under-test.js';

/** Tests deliveries that are held while their endpoint is not enabled. */
export const holding = (at: StoreUnderTest): void => {
  const a = endpointOf('a');
  const below = (n: number) => String(n) as Position;
  /** The held ones, in the order in which they would be claimed. */
  const heldIds = async (limit = 100) => {
    const claimed = await at.store.claim(a, limit, leaseOf('looking', 0), 'held');
    const ids = claimed.map(({ id }) => id);
    await at.store.release(ids, leaseOf('looking', 0), 'held');
    return ids;
  };
  const idsOf = (...numbers: readonly number[]) => numbers.map((n) => planned('a', n).id);
  const madeOf = (n: number, body = `{"made":${n}}`) => ({ id: planned('a', n).id, body });

  describe('holding', () => {
    it('plans deliveries as held or canceled, without a body', async () => {
      const canceled = { ...plannedHeld('a', 2), status: 'canceled', reason: 'dropped' } as const;
      const all = [plannedHeld('a', 1), { ...canceled, payload: 'thin' as const }];
      expect(await at.store.plan(planOf(all), leaseOf('one', 1))).toEqual(idsOf(1, 2));
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'held',
        payload: 'full',
        body: null,
        dueAt: null,
        attempts: [],
        reason: null,
        finishedAt: null,
      });
      expect(await at.store.get(planned('a', 2).id)).toMatchObject({
        status: 'canceled',
        payload: 'thin',
        body: null,
        dueAt: null,
        reason: 'dropped',
        finishedAt: t(1),
      });
      expect(await at.store.counts(a)).toMatchObject({ held: 1, canceled: 1, waiting: 0 });
      expect(await at.store.claim(a, 5, leaseOf('one', 2))).toEqual([]);
      expect(await at.store.endpointsDue(t(9))).toEqual([]);
      expect(await at.store.nextDueAt(t(0))).toBeUndefined();
    });

    it('holds what waits and was decided below a position, not what is being sent', async () => {
      await at.store.plan(
        planOf([
          planned('a', 1),
          planned('a', 2, 'sending'),
          planned('a', 3),
          planned('a', 4),
          planned('b', 1),
        ]),
        leaseOf('one', 1),
      );
      expect(await at.store.hold(a, below(4))).toBe(2);
      expect(await at.store.hold(a, below(4))).toBe(0);
      expect(await heldIds()).toEqual(idsOf(1, 3));
      expect(await at.store.counts()).toMatchObject({ held: 2, sending: 1, waiting: 2 });
      expect(await at.store.endpointsHeld()).toEqual([a]);
      expect([...(await at.store.endpointsUnfinished())].sort()).toEqual(
        [a, endpointOf('b')].sort(),
      );
      await at.store.recordOutcomes(
        [resultOf(planned('a', 2), ended(1, 2, 'bad_status', 500), { status: 'held' }, 1)],
        'one',
      );
      expect(await at.store.get(planned('a', 2).id)).toMatchObject({
        status: 'held',
        dueAt: null,
        finishedAt: null,
        failures: 1,
        attempts: [{ outcome: 'bad_status' }],
      });
      expect(await heldIds()).toEqual(idsOf(1, 2, 3));
    });

    it('finds them in the order of their positions, as numbers, however they were planned', async () => {
      // these sort differently as text than as numbers, and 2 ** 53 + 1 is not exact as a
      // floating-point number
      const positions = ['10', '9', '9007199254740993', '9007199254740992', '100'];
      const all = positions.map((position, n) => ({
        ...plannedHeld('a', n),
        position: position as Position,
      }));
      await at.store.plan(planOf(all), leaseOf('one', 1));
      const first = await at.store.claim(a, 2, leaseOf('one', 1), 'held');
      expect(first.map(({ position }) => position)).toEqual(['9', '10']);
      const rest = await at.store.claim(a, 10, leaseOf('one', 1), 'held');
      expect(rest.map(({ position }) => position)).toEqual([
        '100',
        '9007199254740992',
        '9007199254740993',
      ]);
    });

    it('keeps the body that a claimed one is sent with, and never another', async () => {
      await at.store.plan(
        planOf([plannedHeld('a', 1), planned('a', 2), plannedHeld('a', 3)]),
        leaseOf('one', 1),
      );
      await at.store.hold(a, below(9));
      expect(await at.store.claim(a, 2, leaseOf('one', 5), 'held')).toMatchObject([
        {
          id: planned('a', 1).id,
          body: null,
          status: 'sending',
          attemptCount: 1,
          attempts: [{ number: 1, startedAt: t(5), outcome: null }],
        },
        { id: planned('a', 2).id, body: planned('a', 2).body },
      ]);
      expect(await at.store.counts(a)).toMatchObject({ held: 1, sending: 2 });
      const $ = '$status {"$literal":1} ü€😀\u2028\u0000"\\';
      expect(await at.store.keepBodies([madeOf(1, $)], 'two')).toEqual([]);
      const all = [madeOf(1, $), madeOf(2), madeOf(3), madeOf(99)];
      expect(await at.store.keepBodies(all, 'one')).toEqual(idsOf(1));
      expect(await at.store.keepBodies([madeOf(1)], 'one')).toEqual([]);
      await at.store.recordOutcomes([retried(planned('a', 1), 60, 6)], 'one');
      const [again] = await at.store.claim(a, 1, leaseOf('two', 60));
      expect(again).toMatchObject({ id: planned('a', 1).id, body: $, attemptCount: 2 });
      expect((await at.store.get(planned('a', 2).id))?.body).toBe(planned('a', 2).body);
    });

    it('gives each to one of two dispatchers, and holds it again if it was not sent', async () => {
      const other = await at.fixture.open();
      const numbers = Array.from({ length: 20 }, (_, n) => n);
      await at.store.plan(planOf(numbers.map((n) => plannedHeld('a', n))), leaseOf('one', 1));
      const [mine, theirs] = await Promise.all([
        at.store.claim(a, 15, leaseOf('one', 2), 'held'),
        other.claim(a, 15, leaseOf('two', 2), 'held'),
      ]);
      expect([...mine, ...theirs].map(({ id }) => id).sort()).toEqual(idsOf(...numbers).sort());
      for (const [store, claimed, holder] of [
        [at.store, mine, 'one'],
        [other, theirs, 'two'],
      ] as const)
        await store.release(
          claimed.map(({ id }) => id),
          leaseOf(holder, 3),
          'held',
        );
      expect(await heldIds()).toEqual(idsOf(...numbers));
      expect(await at.store.get(planned('a', 0).id)).toMatchObject({
        status: 'held',
        attemptCount: 0,
        attempts: [],
        dueAt: null,
      });
      await other.close();
    });

    it('cancels them with those that wait, and on a drop only those that events triggered', async () => {
      const redelivery = { ...plannedHeld('a', 3), trigger: 'redeliver' as const };
      await at.store.plan(
        planOf([plannedHeld('a', 1), planned('a', 2), redelivery, plannedHeld('a', 4)]),
        leaseOf('one', 1),
      );
      const drop = { ...unsubscribedAt(4, 9), trigger: 'event' as const, reason: 'dropped' };
      expect(await at.store.cancel(a, drop)).toBe(2);
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'canceled',
        reason: 'dropped',
        finishedAt: t(9),
      });
      expect(await heldIds()).toEqual(idsOf(3, 4));
      expect(await at.store.cancel(a, unsubscribedAt(5, 10))).toBe(2);
      expect(await at.store.counts(a)).toMatchObject({ held: 0, waiting: 0, canceled: 4 });
    });

    it('lists them among the unfinished ones, and cancels chosen ones', async () => {
      await at.store.plan(planOf([plannedHeld('a', 1), plannedHeld('a', 2)]), leaseOf('one', 1));
      expect((await at.store.unfinished(a)).map(({ position }) => position).sort()).toEqual([
        '1',
        '2',
      ]);
      expect(await at.store.cancelUnfinished(idsOf(1), 'lost', t(2))).toBe(1);
      expect(await heldIds()).toEqual(idsOf(2));
    });

    it('counts what has not ended, and no further than asked', async () => {
      expect(await at.store.countUnfinished(a, 10)).toEqual({ unfinished: 0, held: 0 });
      await at.store.plan(
        planOf([
          ...[1, 2, 3, 4].map((n) => plannedHeld('a', n)),
          planned('a', 5),
          planned('a', 6, 'sending'),
          planned('a', 7, 'sending'),
          planned('b', 1),
        ]),
        leaseOf('one', 1),
      );
      await at.store.recordOutcomes([succeeded(planned('a', 7))], 'one');
      const reader = await at.fixture.read();
      for (const store of [at.store, reader]) {
        expect(await store.countUnfinished(a, 10)).toEqual({ unfinished: 6, held: 4 });
        expect(await store.countUnfinished(a, 3)).toEqual({ unfinished: 3, held: 3 });
      }
      await reader.close();
    });
  });

  describe('a sweep', () => {
    const reason = 'held too long';
    beforeEach(async () => {
      await at.store.plan(planOf([plannedHeld('a', 5), plannedHeld('a', 2)]), leaseOf('one', 1));
      await at.store.plan(
        planOf([plannedHeld('a', 3), plannedHeld('b', 1), planned('a', 1)]),
        leaseOf('one', 2),
      );
    });
    const swept = () =>
      at.store.counts().then(({ canceled, held, waiting }) => ({ canceled, held, waiting }));

    it('cancels those of an endpoint that are older than an instant, in steps', async () => {
      const old = { endpointId: a, createdBefore: t(2) };
      expect(await at.store.sweep(old, { reason, now: t(9), limit: 1 })).toBe(1);
      expect(await at.store.sweep(old, { reason, now: t(9), limit: 5 })).toBe(1);
      expect(await at.store.sweep(old, { reason, now: t(9), limit: 5 })).toBe(0);
      expect(await heldIds()).toEqual(idsOf(3));
      expect(await at.store.get(planned('a', 5).id)).toMatchObject({
        status: 'canceled',
        reason,
        finishedAt: t(9),
      });
    });

    it('cancels the oldest of an endpoint, by their positions', async () => {
      expect(await at.store.sweep({ endpointId: a }, { reason, now: t(9), limit: 2 })).toBe(2);
      expect(await heldIds()).toEqual(idsOf(5));
      expect(await swept()).toEqual({ canceled: 2, held: 2, waiting: 1 });
    });

    it('cancels the oldest of an account, by their positions', async () => {
      const { accountId } = planned('a', 1);
      expect(await at.store.sweep({ accountId }, { reason, now: t(9), limit: 3 })).toBe(3);
      expect(await heldIds()).toEqual(idsOf(5));
      expect(await at.store.endpointsHeld()).toEqual([a]);
    });

    it('removes what an earlier one canceled, and nothing else', async () => {
      await at.store.sweep({ endpointId: a }, { reason, now: t(9), limit: 2 });
      await at.store.cancel(endpointOf('b'), unsubscribedAt(9, 9));
      expect(await at.store.removeSwept(t(9), 5)).toBe(0);
      expect(await at.store.removeSwept(t(10), 1)).toBe(1);
      expect(await at.store.removeSwept(t(10), 5)).toBe(1);
      expect(await at.store.get(planned('a', 2).id)).toBeUndefined();
      expect(await swept()).toEqual({ canceled: 1, held: 1, waiting: 1 });
    });
  });

  it('deliveries are decided no later than the end of a restored log', async () => {
    const high = { decidedAt: '9' as Position };
    await at.store.plan(
      planOf([
        { ...planned('a', 1), ...high },
        { ...plannedHeld('a', 2), ...high },
        { ...planned('a', 3, 'sending'), ...high },
        planned('a', 4),
        { ...planned('b', 5), ...high },
      ]),
      leaseOf('one', 1),
    );
    const ids = [1, 2, 3].map((n) => planned('a', n).id);
    await at.store.lowerDecidedAt(ids, '7' as Position);
    const decided = await Promise.all(
      [1, 2, 3, 4].map(async (n) => (await at.store.get(planned('a', n).id))?.decidedAt),
    );
    expect(decided).toEqual(['7', '7', '7', '4']);
    expect((await at.store.get(planned('b', 5).id))?.decidedAt).toBe('9');
  });
};
