/// <reference types="jest" />
import {
  eventually,
  expectStatus,
  type Hook,
  type MovableClock,
  type ServiceFactory,
} from '@refledger/testing';
import { expectProblem, like } from '../expect-problem.js';
import { bodiesOf, ReplayedAccount } from './replayed-account.js';

/** Tests what replays send, on a service with `retrySettings`. */
export const replaysSuite = (service: ServiceFactory, clock: MovableClock): void => {
  describe('a replay', () => {
    let replayed: ReplayedAccount;
    beforeAll(async () => {
      replayed = await ReplayedAccount.open(service, clock);
    });
    afterAll(() => replayed.close());

    const originalAt = (n: number): Hook => {
      const hook = replayed.original[n];
      if (hook === undefined) throw new Error(`there is no event ${n}`);
      return hook;
    };
    const positionAt = (n: number): string => originalAt(n).envelope.position;
    /** All original events, whatever the tests have recorded since. */
    const everything = () => ({ since: '0', until: positionAt(5) });
    const timeAt = (n: number): string => originalAt(n).envelope.timestamp;

    it('sends an endpoint all events from before it existed, each once and as it was', async () => {
      const { receiver, original } = replayed;
      const { at, id } = await replayed.late();
      const begun = expectStatus(202, await replayed.begin(id, { since: '0', only: 'all' }));
      expect(begun).toEqual({
        id: like.id('rpl'),
        object: 'replay',
        endpoint_id: id,
        since: '0',
        until: like.text(/^\d+$/),
        types: null,
        only: 'all',
        status: 'running',
        planned: 0,
        succeeded: 0,
        failed: 0,
        at_position: '0',
        created_at: like.instant(),
        finished_at: null,
      });
      const ended = await replayed.ended(begun);
      expect(ended).toEqual({
        ...begun,
        status: 'finished',
        planned: 6,
        succeeded: 6,
        at_position: begun.until,
        finished_at: like.instant(),
      });
      expect(bodiesOf(receiver.hooks(at))).toEqual(bodiesOf(original));
      const ids = (hooks: readonly Hook[]) => hooks.map(({ headers }) => headers['webhook-id']);
      expect(ids(receiver.hooks(at)).toSorted()).toEqual(ids(original).toSorted());
      const made = await replayed.deliveries(id, { trigger: 'replay' });
      expect(made).toHaveLength(6);
      expect(new Set(made.map(({ replay_id, status }) => `${replay_id} ${status}`))).toEqual(
        new Set([`${begun.id} succeeded`]),
      );
      expect(await replayed.deliveries(id, { trigger: 'event' })).toEqual([]);
    });

    it('is of the events after one position, up to another', async () => {
      const { at, id } = await replayed.late();
      const range = { since: positionAt(1), until: positionAt(4) };
      expect(await replayed.replay(id, range)).toMatchObject({ ...range, planned: 3 });
      expect(bodiesOf(replayed.receiver.hooks(at))).toEqual(
        bodiesOf(replayed.original.slice(2, 5)),
      );
    });

    it('is of the events recorded at a time or later, up to another', async () => {
      const { at, id } = await replayed.late();
      await replayed.replay(id, { since: timeAt(2), until: timeAt(4) });
      const within = replayed.original.filter(
        ({ envelope: { timestamp } }) => timestamp >= timeAt(2) && timestamp <= timeAt(4),
      );
      expect(bodiesOf(replayed.receiver.hooks(at))).toEqual(bodiesOf(within));
    });

    it('is of the kinds that it names, or else of those that the endpoint has now', async () => {
      const { at, id } = await replayed.late();
      const types = ['conversion.approved'];
      expect(await replayed.replay(id, { ...everything(), types })).toMatchObject({
        types,
        planned: 3,
      });
      const approvals = replayed.original.filter(
        ({ envelope: { type } }) => type === 'conversion.approved',
      );
      expect(bodiesOf(replayed.receiver.hooks(at))).toEqual(bodiesOf(approvals));
      await replayed.change(id, { events: ['conversion.*'] });
      const created = { ...everything(), types: ['conversion.created'] };
      expect(await replayed.replay(id, created)).toMatchObject({ planned: 3 });
      expect(await replayed.replay(id, everything())).toMatchObject({ types: null, planned: 0 });
      await replayed.change(id, { events: ['affiliate.created'] });
      expect(await replayed.replay(id, everything())).toMatchObject({ planned: 1, succeeded: 1 });
      expect(replayed.receiver.hooks(at).at(-1)?.envelope.type).toBe('affiliate.created');
    });

    it('has the payload that the endpoint has now', async () => {
      const { at, id } = await replayed.late(['affiliate.created'], { payload: 'thin' });
      await replayed.replay(id, everything());
      const [hook] = replayed.receiver.hooks(at);
      expect(Object.keys(hook?.envelope.data ?? {})).toEqual(['id', 'object', 'revision']);
    });

    it('of what is missing sends nothing twice', async () => {
      const { at, id } = await replayed.late();
      await replayed.replay(id, { since: '0', until: positionAt(2) });
      expect(await replayed.replay(id, everything())).toMatchObject({
        only: 'missing',
        planned: 3,
      });
      expect(await replayed.replay(id, everything())).toMatchObject({ planned: 0 });
      expect(bodiesOf(replayed.receiver.hooks(at))).toEqual(bodiesOf(replayed.original));
      expect(await replayed.replay(id, { ...everything(), only: 'all' })).toMatchObject({
        planned: 6,
      });
      expect(replayed.receiver.hooks(at)).toHaveLength(12);
    });

    it('of what was delivered as it happened sends nothing', async () => {
      const ended = await replayed.replay(replayed.witness.id, everything());
      expect(ended).toMatchObject({ status: 'finished', planned: 0, at_position: ended.until });
    });

    it('of what has failed recovers exactly that', async () => {
      const { account, receiver } = replayed;
      const affiliate = await account.affiliate();
      const { at, id } = await replayed.late();
      let isUp = false;
      receiver.script(at, () => ({ status: isUp ? 204 : 500 }));
      await account.conversion(affiliate.id);
      const [failed] = await replayed.retryUntil(id, 'failed');
      isUp = true;
      const ended = await replayed.replay(id, { since: '0', only: 'failed' });
      expect(ended).toMatchObject({ planned: 1, succeeded: 1, failed: 0 });
      const [sent] = await replayed.deliveries(id, { trigger: 'replay' });
      expect(sent).toMatchObject({ event_id: failed?.event_id, replay_id: ended.id });
      expect(await replayed.deliveries(id, { status: 'failed' })).toMatchObject([
        { id: failed?.id, recovered_by: sent?.id },
      ]);
    });

    it('counts what the endpoint refused', async () => {
      const { at, id } = await replayed.late(['affiliate.created']);
      replayed.receiver.script(at, () => ({ status: 500 }));
      expect(await replayed.replay(id, { since: '0', until: positionAt(0) })).toMatchObject({
        status: 'finished',
        planned: 1,
        succeeded: 0,
        failed: 1,
      });
    });

    it('waits while the endpoint is paused, and there is one at a time', async () => {
      const { at, id } = await replayed.late();
      await replayed.change(id, { status: 'paused' });
      const begun = expectStatus(202, await replayed.begin(id, everything()));
      const second = await replayed.begin(id, { ...everything(), only: 'all' });
      expect(expectProblem(second, 409, 'replay_in_progress').replay_id).toBe(begun.id);
      expect(await replayed.get(begun)).toEqual(begun);
      expect(await replayed.deliveries(id)).toEqual([]);
      await replayed.change(id, { status: 'enabled', held: 'drop' });
      expect(await replayed.ended(begun)).toMatchObject({ status: 'finished', succeeded: 6 });
      expect(bodiesOf(replayed.receiver.hooks(at))).toEqual(bodiesOf(replayed.original));
      expectStatus(202, await replayed.begin(id, everything()));
    });

    it('that is stopped makes no more deliveries', async () => {
      const { account, receiver } = replayed;
      const { at, id } = await replayed.late();
      await replayed.change(id, { status: 'paused' });
      const begun = expectStatus(202, await replayed.begin(id, everything()));
      const path = `/v1/webhooks/${id}/replays/${begun.id}`;
      expectStatus(204, await account.api.delete(path));
      const stopped = await replayed.get(begun);
      expect(stopped).toEqual({ ...begun, status: 'stopped', finished_at: like.instant() });
      expectStatus(204, await account.api.delete(path));
      expect(await replayed.get(begun)).toEqual(stopped);
      await replayed.change(id, { status: 'enabled' });
      const until = positionAt(0);
      expect(await replayed.replay(id, { since: '0', until })).toMatchObject({ planned: 1 });
      expect(receiver.hooks(at)).toHaveLength(1);
    });

    it('to an endpoint that is gone is refused until it is enabled', async () => {
      const { account, receiver } = replayed;
      const { at, id } = await replayed.late(['affiliate.created']);
      let isGone = true;
      receiver.script(at, () => ({ status: isGone ? 410 : 204 }));
      await account.affiliate();
      await eventually(async () => {
        const path = `/v1/webhooks/${id}`;
        expect((await account.api.get<{ status: string }>(path)).body.status).toBe('disabled');
      });
      expectProblem(await replayed.begin(id, { since: '0' }), 409, 'invalid_transition');
      isGone = false;
      await replayed.change(id, { status: 'enabled' });
      const ended = await replayed.replay(id, { since: '0' });
      expect(ended).toMatchObject({ status: 'finished', failed: 0 });
      expect(ended.succeeded).toBeGreaterThan(0);
    });
  });
};
