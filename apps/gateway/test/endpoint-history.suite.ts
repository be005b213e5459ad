import { randomUUID } from 'node:crypto';
import { newId, streams, type AccountId, type Change, type EndpointId } from '@refledger/contracts';
import type { Consistency } from '@refledger/application';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import { encodeEvent, type NewEvent } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { webhookEndpointsProjection } from '@refledger/projections';
import { EndpointHistories, EndpointReads, ReadModels } from '@refledger/queries';
import { projectTo, type Engines, type OpenEngines } from './engines.js';

/** Tests the history of an endpoint, on any engines. */
export const endpointHistorySuite = (open: OpenEngines): void => {
  describe('the history of an endpoint', () => {
    let engines: Engines;
    let account: AccountId;
    /** The documents that were read. */
    let read: number;
    beforeEach(async () => {
      engines = await open();
      account = newId('account');
    });
    afterEach(() => engines.close());

    /** Records the decisions on commands. */
    const run = async (commands: readonly WebhookEndpointsCommand[]): Promise<void> => {
      let state: WebhookEndpointsState = webhookEndpointsDecider.initial;
      const events: NewEvent[] = [];
      for (const command of commands) {
        for (const event of webhookEndpointsDecider.decide(command, state)) {
          const at = { revision: events.length, recordedAt: recorded_at };
          state = webhookEndpointsDecider.evolve(state, event, at);
          const metadata = { account_id: account, actor: 'test', request_id: 'r', recorded_at };
          events.push(encodeEvent(event, randomUUID(), metadata));
        }
      }
      let revision: number | 'no stream' = 'no stream';
      for (let from = 0; from < events.length; from += 500) {
        const batch = events.slice(from, from + 500);
        ({ revision } = await engines.log.append(streams.webhooks(account), batch, revision));
      }
      await projectTo(engines, webhookEndpointsProjection);
    };

    /** Read models that count what is read from now on. */
    const counting = (): ReadModels => {
      read = 0;
      const { store, log } = engines;
      const counted = {
        get: (...of: Parameters<ReadStore['get']>) => store.get(...of),
        find: async (...of: Parameters<ReadStore['find']>) => {
          const found = await store.find(...of);
          read += found.value.length;
          return found;
        },
      };
      // the test needs only these members
      const consistency = { logId: log.id, isSettled: () => true } as unknown as Consistency;
      return new ReadModels(counted as unknown as ReadStore, consistency);
    };

    const readOf = (id: EndpointId) => ({
      id,
      caller: { accountId: account, keyId: newId('key') },
      minPosition: undefined,
    });
    const page = (id: EndpointId, request: Partial<Page> = {}) => {
      const histories = new EndpointHistories({
        endpoints: new EndpointReads(counting()),
        keys: { nameOf: () => undefined },
      });
      const { withRecords, ...events } = { ...firstPage, ...request };
      return histories.page(readOf(id), events, withRecords);
    };
    const walk = async (id: EndpointId, request: Partial<Page>): Promise<Change[]> => {
      const seen: Change[] = [];
      for (let after: number | undefined; ;) {
        const { changes, next } = await page(id, { ...request, after });
        seen.push(...changes);
        if (next === undefined) return seen;
        after = next;
      }
    };

    it('reads nothing of the other endpoints, however often those changed', async () => {
      const [few, busy] = [newId('endpoint'), newId('endpoint')];
      await run([
        subscribe(few),
        subscribe(busy),
        ...described(busy, 1_000),
        ...described(few, 2),
        ...described(busy, 1_000),
      ]);
      const all = await page(few);
      expect(all.changes.map(({ revision }) => revision)).toEqual([1_003, 1_002, 0]);
      expect(read).toBe(3);
      for (const request of [{}, { newestFirst: false }, { withRecords: true }]) {
        expect((await page(busy, { ...request, size: 2 })).changes).toHaveLength(2);
        expect(read).toBe(3);
      }
    });

    it('outlives the endpoint, so that a deleted one is told from one that never existed', async () => {
      const [kept, deleted, theirs] = [newId('endpoint'), newId('endpoint'), newId('endpoint')];
      await run([subscribe(theirs)]);
      account = newId('account');
      const changes = described(deleted, 50);
      const end = { type: 'delete', endpoint_id: deleted } as const;
      await run([subscribe(kept), subscribe(deleted), ...changes, end]);
      const reads = new EndpointReads(counting());
      const existed = (id: EndpointId): Promise<boolean> => reads.hasExisted(readOf(id));
      expect([await existed(kept), await existed(deleted)]).toEqual([true, true]);
      expect([await existed(theirs), await existed(newId('endpoint'))]).toEqual([false, false]);
      expect(read).toBe(3);
    });

    it('is the same in either order, on pages of any size', async () => {
      const [id, other] = [newId('endpoint'), newId('endpoint')];
      await run([
        subscribe(id),
        subscribe(other),
        { type: 'rotate', endpoint_id: id, secret: 's2', overlap_ms: 0, now: recorded_at },
        ...described(id, 5),
        ...described(other, 5),
        { type: 'disable', endpoint_id: id, version: 99, reason: 'failing' },
        ...described(id, 600, 'later'),
      ]);
      const newestFirst = await walk(id, { size: 100, withRecords: true });
      expect(newestFirst).toHaveLength(608);
      const oldestFirst = await walk(id, { size: 7, withRecords: true, newestFirst: false });
      expect(oldestFirst.reverse()).toEqual(newestFirst);
    });
  });
};

interface Page {
  readonly after: number | undefined;
  readonly newestFirst: boolean;
  readonly size: number;
  readonly withRecords: boolean;
}
const firstPage: Page = { after: undefined, newestFirst: true, size: 25, withRecords: false };

const recorded_at = '2026-01-01T00:00:00.000Z';

const subscribe = (endpoint_id: EndpointId): WebhookEndpointsCommand => ({
  type: 'subscribe',
  endpoint_id,
  target_url: `https://receiver.example/${endpoint_id}`,
  target_key: `https://receiver.example/${endpoint_id}`,
  events: ['affiliate.created'],
  new_secret: 'sealed',
  now: recorded_at,
});
const described = (
  endpoint_id: EndpointId,
  times: number,
  as = 'changed',
): readonly WebhookEndpointsCommand[] =>
  Array.from({ length: times }, (_, n) => ({
    type: 'update',
    endpoint_id,
    patch: { description: `${as} ${n}` },
  }));
