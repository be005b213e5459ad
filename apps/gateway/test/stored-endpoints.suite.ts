import { randomUUID } from 'node:crypto';
import {
  newId,
  streams,
  type AccountId,
  type EndpointBefore,
  type EndpointId,
  type EventPattern,
  type StreamName,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { webhookEndpointsDecider } from '@refledger/domain';
import { foldStream, snapshotsFor } from '@refledger/application';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { newLogger } from '@refledger/platform';
import { EndpointSnapshots } from '@refledger/queries';
import { ReadStoreError, type ReadStore } from '@refledger/read-store';
import { webhookEndpointsProjection } from '@refledger/projections';
import { scaledTimeout } from '@refledger/testing';
import { projectTo, type Engines, type OpenEngines } from './engines.js';

/** Shared by all tests, because each logger stays until the process ends. */
const logger = newLogger('silent', 'test');

/** Tests that commands on endpoints continue from the read model, on any engines. */
export const storedEndpointsSuite = (open: OpenEngines): void => {
  describe('commands on endpoints continue from the read model', () => {
    let engines: Engines;
    let account: AccountId;
    let stream: StreamName;
    let revision: number | undefined;
    beforeEach(async () => {
      engines = await open();
      account = newId('account');
      stream = streams.webhooks(account);
      revision = undefined;
    });
    afterEach(() => engines.close());

    const append = async (...events: readonly WebhookEndpointsEvent[]): Promise<void> => {
      for (const event of events) {
        const metadata = { account_id: account, actor: 'test', request_id: 'r', recorded_at };
        const encoded = encodeEvent(event, randomUUID(), metadata);
        ({ revision } = await engines.log.append(stream, [encoded], revision ?? 'no stream'));
      }
    };
    const snapshots = (
      store: Pick<ReadStore, 'get' | 'find'> = engines.store,
      withinMs = scaledTimeout(20_000),
    ) => new EndpointSnapshots(store, engines.log.id, logger, withinMs);
    const wholeStream = () => foldStream(engines.log, webhookEndpointsDecider, stream, undefined);

    /** Creates three endpoints that changed in every way, and a fourth that was unsubscribed. */
    const history = async (): Promise<EndpointId> => {
      // The order of the endpoints follows neither from their times nor from their ids.
      const ids = Array.from({ length: 4 }, () => newId('endpoint'))
        .sort()
        .reverse();
      const [first, second, third, gone] = ids as [EndpointId, EndpointId, EndpointId, EndpointId];
      await append(...ids.map((id) => subscribed(id)), updated(second, ['conversion.created']));
      await append(updated(third), updated(third), disabled(first), unsubscribed(gone));
      await append(updated(first, ['affiliate.created']), disabled(second));
      return third;
    };

    it('the snapshot has the state of the whole stream', async () => {
      await history();
      await projectTo(engines, webhookEndpointsProjection);
      expect(await snapshots().ofAccount(stream)).toEqual(await wholeStream());
    });

    it('a command reads only the events after the snapshot', async () => {
      const third = await history();
      await projectTo(engines, webhookEndpointsProjection);
      const last = revision;
      await append(updated(third, ['payout.failed']), unsubscribed(third));
      await append(subscribed(newId('endpoint')));
      const whole = await wholeStream();

      const froms: (number | undefined)[] = [];
      const { log } = engines;
      const watched: EventLog = Object.assign(Object.create(log) as EventLog, {
        readStream: (...[name, options]: Parameters<EventLog['readStream']>) => {
          froms.push(options?.from);
          return log.readStream(name, options);
        },
      });
      const folded = await foldStream(
        watched,
        webhookEndpointsDecider,
        stream,
        snapshotsFor(webhookEndpointsDecider, (name) => snapshots().ofAccount(name)),
      );
      expect(folded).toEqual(whole);
      expect(froms).toEqual([last]);
    });

    it('there is no snapshot without a read model, or if there never was an endpoint', async () => {
      await history();
      expect(await snapshots().ofAccount(stream)).toBeUndefined();
      await projectTo(engines, webhookEndpointsProjection);
      const another = streams.webhooks(newId('account'));
      expect(await snapshots().ofAccount(another)).toBeUndefined();
    });

    it('there is no snapshot if the read model is unreadable, so the log is read', async () => {
      const away = () => Promise.reject(new ReadStoreError('unavailable', 'away'));
      const found = snapshots({ get: away, find: away }).ofAccount(stream);
      expect(await found).toBeUndefined();
    });

    it('there is no snapshot if the read model does not respond, so the log is read', async () => {
      await history();
      const silent = () => new Promise<never>(() => undefined);
      const found = snapshots({ get: silent, find: silent }, 100).ofAccount(stream);
      expect(await found).toBeUndefined();
    });

    it('a half-stored state is not accepted', async () => {
      await history();
      await projectTo(engines, webhookEndpointsProjection);
      const { store } = engines;
      const behind: Pick<ReadStore, 'get' | 'find'> = {
        get: (...of) => store.get(...of),
        // The read model saves its checkpoint last.
        find: async (...of) => ({ ...(await store.find(...of)), position: undefined }),
      };
      expect(await snapshots(behind).ofAccount(stream)).toBeUndefined();
    });

    it('both reads are repeated if a writer stored more between them', async () => {
      const third = await history();
      await projectTo(engines, webhookEndpointsProjection);
      const { store } = engines;
      let written = false;
      const busy: Pick<ReadStore, 'get' | 'find'> = {
        get: (...of) => store.get(...of),
        find: async (...of) => {
          if (!written) {
            written = true;
            await append(updated(third, ['payout.failed']));
            await projectTo(engines, webhookEndpointsProjection);
          }
          return store.find(...of);
        },
      };
      const found = await snapshots(busy).ofAccount(stream);
      expect(found).toEqual(await wholeStream());
    });
  });
};

const recorded_at = '2026-01-01T00:00:00.000Z';

const fields = (id: EndpointId, events: readonly EventPattern[]) => ({
  target_url: `https://receiver.example/${id}`,
  target_key: `https://receiver.example/${id}`,
  events: [...events],
  description: null,
  secret: 'sealed',
  payload: 'full' as const,
  max_per_second: null,
});
const usual: readonly EventPattern[] = ['affiliate.created', 'conversion.*', '*'];

const before = (id: EndpointId): EndpointBefore => ({
  fields: fields(id, usual),
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: recorded_at,
  updated_at: recorded_at,
});
const subscribed = (id: EndpointId): WebhookEndpointsEvent => ({
  type: 'webhook.subscribed',
  data: { endpoint_id: id, fields: fields(id, usual) },
});
const updated = (id: EndpointId, events = usual): WebhookEndpointsEvent => ({
  type: 'webhook.updated',
  data: { endpoint_id: id, before: before(id), fields: fields(id, events), status: 'enabled' },
});
const disabled = (id: EndpointId): WebhookEndpointsEvent => ({
  type: 'webhook.disabled',
  data: { endpoint_id: id, before: before(id), reason: 'gone' },
});
const unsubscribed = (id: EndpointId): WebhookEndpointsEvent => ({
  type: 'webhook.unsubscribed',
  data: { endpoint_id: id },
});
