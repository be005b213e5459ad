/// <reference types="jest" />
import { derivedId, type Position, type ReplayId } from '@refledger/contracts';
import type { PlannedDelivery } from '../planner-store.js';
import type { Replay, RequestedReplay } from '../replay-store.js';
import {
  ended,
  endpointOf,
  leaseOf,
  planned,
  plannedHeld,
  planOf,
  resultOf,
  retried,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

const position = (n: number): Position => String(n) as Position;
const idOf = (name: string): ReplayId => derivedId('replay', name);

/** A replay of the first 90 events to an endpoint, begun at a second. */
export const requested = (name: string, endpoint = 'a', seconds = 1): RequestedReplay => ({
  id: idOf(name),
  accountId: derivedId('account', 'one'),
  endpointId: endpointOf(endpoint),
  logId: 'log one',
  since: position(0),
  until: position(90),
  types: ['conversion.created'],
  only: 'missing',
  decidedAt: position(7),
  createdAt: t(seconds),
});

/** The delivery of an event that a replay makes. */
export const replayed = (name: string, n: number, endpoint = 'a'): PlannedDelivery => ({
  ...planned(endpoint, n),
  id: derivedId('delivery', name, String(n)),
  trigger: 'replay',
  replayId: idOf(name),
  decidedAt: position(7),
  body: null,
});

/** Tests replays. */
export const replaying = (at: StoreUnderTest): void => {
  const a = endpointOf('a');
  const begun = async (name: string, endpoint = 'a', seconds = 1): Promise<Replay> =>
    (await at.store.beginReplay(requested(name, endpoint, seconds))).replay;
  /** Plans deliveries of a replay that was at position `from`, up to `to`. */
  const step = (name: string, from: number, to: number, deliveries: readonly PlannedDelivery[]) =>
    at.store.planReplay(
      {
        replay: { id: idOf(name), at: position(from) },
        deliveries,
        reached: position(to),
        isLast: to >= 90,
      },
      t(5),
    );
  const replayOf = async (name: string): Promise<Replay> => {
    const found = await at.store.replay(idOf(name));
    if (found === undefined) throw new Error(`there is no replay ${name}`);
    return found;
  };

  describe('replays', () => {
    it('start once, and one at a time per endpoint', async () => {
      const first = await begun('first');
      expect(first).toEqual({
        ...requested('first'),
        status: 'running',
        at: '0',
        planned: 0,
        succeeded: 0,
        failed: 0,
        isSettled: false,
        finishedAt: null,
      });
      expect(await begun('first', 'a', 9)).toEqual(first);
      expect(await begun('second')).toEqual(first);
      expect(await at.store.replay(idOf('second'))).toBeUndefined();
      const other = await begun('other', 'b');
      expect(other.endpointId).toBe(endpointOf('b'));
      await at.store.stopReplay(idOf('first'), t(4));
      expect(await replayOf('first')).toMatchObject({ status: 'stopped', finishedAt: t(4) });
      await at.store.stopReplay(idOf('first'), t(6));
      expect((await replayOf('first')).finishedAt).toBe(t(4));
      expect((await begun('second')).id).toBe(idOf('second'));
      expect(await begun('first')).toMatchObject({ status: 'stopped' });
    });

    it('of concurrent requests for one endpoint, one starts', async () => {
      const other = await at.fixture.open();
      // all at the same instant, as two gateways may do with one key
      const found = await Promise.all(
        ['one', 'two', 'one', 'three'].flatMap((name) => [
          at.store.beginReplay(requested(name)),
          other.beginReplay(requested(name)),
        ]),
      );
      expect(new Set(found.map(({ replay }) => replay.id)).size).toBe(1);
      expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(await at.store.runningReplays()).toHaveLength(1);
      await other.close();
    });

    it('of concurrent requests with one id for several endpoints, one starts', async () => {
      const other = await at.fixture.open();
      const found = await Promise.all(
        ['a', 'b', 'c'].flatMap((endpoint) => [
          at.store.beginReplay(requested('one', endpoint)),
          other.beginReplay(requested('one', endpoint)),
        ]),
      );
      expect(new Set(found.map(({ replay }) => replay.endpointId)).size).toBe(1);
      expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(await at.store.runningReplays()).toHaveLength(1);
      await other.close();
    });

    it('take any kind when no kinds are named', async () => {
      await at.store.beginReplay({ ...requested('first'), types: null, since: position(12) });
      expect(await replayOf('first')).toMatchObject({ types: null, since: '12', at: '12' });
    });

    it('store deliveries and progress together, and only from the current position', async () => {
      await begun('first');
      expect(await step('first', 0, 40, [replayed('first', 3), replayed('first', 4)])).toBe(true);
      expect(await step('first', 0, 50, [replayed('first', 5)])).toBe(false);
      expect(await replayOf('first')).toMatchObject({ at: '40', planned: 2, status: 'running' });
      expect(await at.store.get(replayed('first', 4).id)).toMatchObject({
        trigger: 'replay',
        replayId: idOf('first'),
        status: 'waiting',
        dueAt: null,
        body: null,
        createdAt: t(5),
      });
      expect(await step('first', 40, 90, [replayed('first', 60)])).toBe(true);
      const last = { at: '90', planned: 3, status: 'finished', finishedAt: t(5) };
      expect(await replayOf('first')).toMatchObject(last);
      expect(await step('first', 90, 95, [])).toBe(false);
      expect(await at.store.counts(a)).toMatchObject({ waiting: 3 });
    });

    it('plan nothing once they are stopped', async () => {
      await begun('first');
      await at.store.stopReplay(idOf('first'), t(4));
      expect(await at.store.runningReplays()).toEqual([]);
      expect(await step('first', 0, 40, [replayed('first', 3)])).toBe(false);
      expect(await at.store.get(replayed('first', 3).id)).toBeUndefined();
      expect(await replayOf('first')).toMatchObject({ at: '0', planned: 0 });
    });

    it('have deliveries that are never due: they wait for their turn, oldest events first', async () => {
      await begun('first');
      await begun('other', 'b');
      await step(
        'first',
        0,
        40,
        [8, 3, 5].map((n) => replayed('first', n)),
      );
      await step('other', 0, 40, [replayed('other', 9, 'b')]);
      await at.store.plan(planOf([planned('a', 99)]), leaseOf('one', 6));
      expect(await at.store.endpointsDue(t(9))).toEqual([a]);
      expect([...(await at.store.endpointsReplaying())].sort()).toEqual(
        [a, endpointOf('b')].sort(),
      );
      expect(await at.store.countReplaying(a, 10)).toBe(3);
      expect(await at.store.countReplaying(a, 2)).toBe(2);
      expect(await at.store.claim(a, 9, leaseOf('one', 6))).toMatchObject([
        { id: planned('a', 99).id },
      ]);
      expect(await at.store.claimTests(a, leaseOf('one', 6))).toEqual([]);
      const claimed = await at.store.claim(a, 2, leaseOf('one', 6), 'replay');
      expect(claimed.map(({ position: of }) => of)).toEqual(['3', '5']);
      expect(claimed[0]).toMatchObject({ status: 'sending', attemptCount: 1 });
      await at.store.release([replayed('first', 5).id], leaseOf('one', 7), 'replay');
      expect(await at.store.countReplaying(a, 10)).toBe(2);
      expect(await at.store.endpointsDue(t(9))).toEqual([]);
      expect(await at.store.counts(a)).toMatchObject({ waiting: 2, sending: 2 });
    });

    it('have deliveries that are retried like any other', async () => {
      await begun('first');
      await step('first', 0, 40, [replayed('first', 3)]);
      await at.store.claim(a, 1, leaseOf('one', 6), 'replay');
      await at.store.recordOutcomes([retried(replayed('first', 3), 60, 7)], 'one');
      expect(await at.store.countReplaying(a, 10)).toBe(0);
      expect(await at.store.nextDueAt(t(9))).toBe(t(60));
      expect(await at.store.claim(a, 1, leaseOf('one', 60))).toMatchObject([{ attemptCount: 2 }]);
    });

    it('have deliveries that can be made due, held and canceled, and that are not taken for late tests', async () => {
      await begun('first');
      await step(
        'first',
        0,
        40,
        [3, 4, 5].map((n) => replayed('first', n)),
      );
      await at.store.recover({ holder: 'one', sending: [], now: t(500) });
      await at.store.makeDue(replayed('first', 3).id, t(501));
      expect(await at.store.get(replayed('first', 3).id)).toMatchObject({ dueAt: t(501) });
      expect(await at.store.unfinished(a)).toHaveLength(3);
      expect(await at.store.hold(a, position(8))).toBe(3);
      expect(await at.store.countReplaying(a, 10)).toBe(0);
      const dropped = { decidedBelow: position(8), reason: 'dropped', now: t(502) };
      expect(await at.store.cancel(a, { ...dropped, trigger: 'event' })).toBe(0);
      expect(await at.store.cancel(a, dropped)).toBe(3);
    });

    it('are counted, and settled once they and their deliveries have ended', async () => {
      await begun('first');
      await step(
        'first',
        0,
        40,
        [3, 4].map((n) => replayed('first', n)),
      );
      await at.store.claim(a, 2, leaseOf('one', 6), 'replay');
      await at.store.recordOutcomes([succeeded(replayed('first', 3), 7)], 'one');
      await at.store.countReplays(t(100), 10);
      expect(await replayOf('first')).toMatchObject({ succeeded: 1, failed: 0, isSettled: false });
      await step('first', 40, 90, []);
      await at.store.countReplays(t(100), 10);
      expect((await replayOf('first')).isSettled).toBe(false);
      const failed = { status: 'failed', reason: 'given up' } as const;
      const last = resultOf(replayed('first', 4), ended(1, 8, 'bad_status', 500), failed, 1);
      await at.store.recordOutcomes([last], 'one');
      await at.store.countReplays(t(100), 10);
      const final = { planned: 2, succeeded: 1, failed: 1, isSettled: true };
      expect(await replayOf('first')).toMatchObject(final);
      await at.store.expire(t(600), 10);
      await at.store.countReplays(t(100), 10);
      expect(await replayOf('first')).toMatchObject(final);
    });

    it('say whether there is anything to do for them', async () => {
      expect(await at.store.hasUnsettledReplays()).toBe(false);
      await begun('first');
      expect(await at.store.hasUnsettledReplays()).toBe(true);
      await at.store.stopReplay(idOf('first'), t(4));
      await at.store.countReplays(t(100), 10);
      expect(await at.store.hasUnsettledReplays()).toBe(false);
    });

    it('wait for their turn again once their endpoint is enabled, and others stay held', async () => {
      await begun('first');
      await step('first', 0, 40, [replayed('first', 3), replayed('first', 4)]);
      await at.store.plan(planOf([plannedHeld('a', 9)]), leaseOf('one', 5));
      await at.store.hold(a, position(8));
      expect(await at.store.counts(a)).toMatchObject({ waiting: 0, held: 3 });
      expect(await at.store.countWaiting(idOf('first'), 10)).toBe(0);
      await at.store.unholdReplays(a);
      expect(await at.store.counts(a)).toMatchObject({ waiting: 2, held: 1 });
      expect(await at.store.countReplaying(a, 10)).toBe(2);
      expect(await at.store.countWaiting(idOf('first'), 10)).toBe(2);
      expect(await at.store.countWaiting(idOf('first'), 1)).toBe(1);
    });

    it('are counted a few at a time, those that were counted longest ago first', async () => {
      const names = ['one', 'two', 'three'];
      for (const [n, name] of names.entries()) {
        await begun(name, name, n);
        await step(name, 0, 90, [replayed(name, n, name)]);
        const gone = { decidedBelow: position(8), reason: 'gone', now: t(6) };
        await at.store.cancel(endpointOf(name), gone);
      }
      for (const seconds of [100, 101]) await at.store.countReplays(t(seconds), 2);
      for (const name of names)
        expect(await replayOf(name)).toMatchObject({ planned: 1, succeeded: 0, isSettled: true });
    });

    it('that catch up after a recovery wait for their turn again, and are not held', async () => {
      await begun('first');
      await step('first', 0, 40, [replayed('first', 3)]);
      await at.store.plan(planOf([planned('a', 9, 'sending')]), leaseOf('one', 5));
      await at.store.claim(a, 1, leaseOf('one', 6), 'replay');
      const retries = [retried(replayed('first', 3), 60, 7), retried(planned('a', 9), 60, 7)];
      await at.store.recordOutcomes(retries, 'one');
      expect(await at.store.holdRetries(a, t(8))).toBe(1);
      expect(await at.store.get(replayed('first', 3).id)).toMatchObject({
        status: 'waiting',
        dueAt: null,
      });
      expect(await at.store.countReplaying(a, 10)).toBe(1);
      expect(await at.store.counts(a)).toMatchObject({ waiting: 1, held: 1 });
    });

    it('are listed by endpoint, in pages, from any reader', async () => {
      for (const n of [1, 2, 3]) {
        await begun(`of a ${n}`, 'a', n);
        await at.store.stopReplay(idOf(`of a ${n}`), t(n));
      }
      await begun('other', 'b');
      const reader = await at.fixture.read();
      for (const store of [at.store, reader]) {
        const page = { endpointId: a, descending: true, limit: 2 };
        const newest = await store.replays(page);
        expect(newest.map(({ createdAt }) => createdAt)).toEqual([t(3), t(2)]);
        const after = [t(2), idOf('of a 2')] as const;
        expect(await store.replays({ ...page, after })).toMatchObject([{ createdAt: t(1) }]);
        const oldest = await store.replays({ ...page, descending: false, after });
        expect(oldest).toMatchObject([{ createdAt: t(3) }]);
        expect((await store.replays({ ...page, descending: false }))[0]?.createdAt).toBe(t(1));
        for (const descending of [false, true]) {
          const times = async (query: object): Promise<readonly string[]> =>
            (await store.replays({ ...page, descending, ...query })).map((one) => one.createdAt);
          const [first, last] = descending ? [3, 1] : [1, 3];
          const here = [t(2), idOf('of a 2')] as const;
          expect(await times({ createdAfter: t(1), createdBefore: t(3) })).toEqual([t(2)]);
          const bounds = { createdAfter: t(0), createdBefore: t(4) };
          expect(await times({ ...bounds, limit: 1 })).toEqual([t(first)]);
          expect(await times({ ...bounds, after: here })).toEqual([t(last)]);
          const upToHere = descending ? { createdAfter: t(1) } : { createdBefore: t(3) };
          expect(await times({ ...upToHere, after: here })).toEqual([]);
        }
        expect(await store.replay(idOf('other'))).toMatchObject({ endpointId: endpointOf('b') });
      }
      await reader.close();
    });

    it('find the deliveries of events to an endpoint, except tests', async () => {
      await at.store.plan(
        planOf([planned('a', 1, 'sending'), planned('a', 2), planned('b', 1)]),
        leaseOf('one', 1),
      );
      await at.store.request({ ...planned('a', 3), trigger: 'test', status: 'waiting' }, t(1));
      await begun('first');
      await step('first', 0, 40, [replayed('first', 2)]);
      const again = { ...planned('a', 1), trigger: 'redeliver', status: 'waiting' } as const;
      for (const n of [11, 12]) await at.store.request({ ...again, id: planned('a', n).id }, t(2));
      const events = [1, 2, 3, 4].map((n) => planned('a', n).eventId);
      const found = await at.store.deliveriesOf(a, events);
      expect([...found].sort((x, y) => (x.eventId < y.eventId ? -1 : 1))).toEqual(
        expect.arrayContaining([
          { eventId: events[0], status: 'sending', replayId: null },
          { eventId: events[0], status: 'waiting', replayId: null },
          { eventId: events[1], status: 'waiting', replayId: null },
          { eventId: events[1], status: 'waiting', replayId: idOf('first') },
        ]),
      );
      expect(found).toHaveLength(4);
    });

    it('are worked on by one dispatcher at a time', async () => {
      const other = await at.fixture.open();
      expect(await at.store.leaseReplays(leaseOf('one', 1))).toBe(true);
      expect(await other.leaseReplays(leaseOf('two', 30))).toBe(false);
      expect(await at.store.leaseReplays(leaseOf('one', 20))).toBe(true);
      expect(await other.leaseReplays(leaseOf('two', 49))).toBe(false);
      expect(await other.leaseReplays(leaseOf('two', 50))).toBe(true);
      expect(await at.store.leaseReplays(leaseOf('one', 51))).toBe(false);
      // a clock that was ahead
      expect(await other.leaseReplays(leaseOf('two', 9_000))).toBe(true);
      expect(await at.store.leaseReplays(leaseOf('one', 60))).toBe(true);
      await other.releaseReplays('two');
      expect(await other.leaseReplays(leaseOf('two', 61))).toBe(false);
      await at.store.releaseReplays('one');
      expect(await other.leaseReplays(leaseOf('two', 61))).toBe(true);
      await other.close();
    });

    it('are removed long after they ended, once all their deliveries have been removed', async () => {
      await begun('first');
      await step('first', 0, 90, [replayed('first', 3)]);
      expect(await at.store.expireReplays(t(600), 10)).toBe(0);
      await at.store.cancel(a, { decidedBelow: position(8), reason: 'gone', now: t(6) });
      await at.store.countReplays(t(100), 10);
      expect(await at.store.expireReplays(t(5), 10)).toBe(0);
      expect(await at.store.expireReplays(t(6), 10)).toBe(0);
      await at.store.expire(t(7), 10);
      expect(await at.store.expireReplays(t(6), 10)).toBe(1);
      expect(await at.store.replay(idOf('first'))).toBeUndefined();
    });
  });
};
