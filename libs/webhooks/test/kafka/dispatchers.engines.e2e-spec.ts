import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { laterOf, newId, publicEventId, type Position } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { Relay, type EventBus } from '@refledger/event-bus';
import { EventWriter } from '@refledger/event-bus/conformance';
import { openKafkaBus, openKafkaPublication } from '@refledger/event-bus/kafka';
import { itInFull, waitFor as waitUntil } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { databaseUrl, describeOnServer, type TestServer } from '@refledger/testing/servers';
import { Kafka, logLevel } from 'kafkajs';
import { type DeliveryStore, openDeliveryStore } from '@refledger/delivery-store';
import { Receiver } from '../receiver.js';
import { Workbench, type Running } from '../workbench.js';

/**
 * Waits longer than a session timeout: only then does the group notice that a member was killed.
 */
const until = (condition: () => boolean | Promise<boolean>) =>
  waitUntil(condition, { timeoutMs: 40_000 });
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * One set of deliveries. Each call returns a handle of its own where several processes can share
 * it.
 */
interface SharedStores {
  open(directory: string): Promise<DeliveryStore>;
}

const dispatchersWith = (server: () => TestServer, stores: SharedStores): void => {
  describe('in one consumer group', () => {
    let bench: Workbench;
    let receiver: Receiver;
    let writer: EventWriter;
    let store: DeliveryStore;
    let handles: DeliveryStore[];
    let prefix: string;
    let endRelay: () => Promise<void>;
    beforeEach(async () => {
      bench = await Workbench.open();
      receiver = await new Receiver().open();
      writer = new EventWriter(bench.log);
      store = await stores.open(bench.directory);
      handles = [store];
      prefix = `test-${randomUUID()}`;
      const publication = openKafkaPublication({
        brokers: brokers(),
        prefix,
        logger: quiet,
        partitions: 3,
      });
      const relay = new Relay({
        log: bench.log,
        personalData: plainPersonalData,
        publication,
        logger: quiet,
      });
      const stop = new AbortController();
      const running = relay.run((batch) => relay.publish(batch), stop.signal);
      endRelay = async () => {
        stop.abort();
        await running;
        await publication.close();
      };
      await bench.subscribe(receiver.url('/hook'), ['affiliate.created', 'affiliate.updated']);
    });
    afterEach(async () => {
      await bench.close();
      await endRelay();
      for (const handle of new Set(handles)) await handle.close();
      await receiver.close();
    });

    const brokers = () => server().url.split(',');
    const bus = (): EventBus =>
      openKafkaBus({
        brokers: brokers(),
        prefix,
        group: 'webhook-dispatcher',
        log: bench.log,
        logger: quiet,
      });
    const start = async (name: string) => {
      const handle = await stores.open(bench.directory);
      handles.push(handle);
      return bench.start({ store: handle, bus: bus(), holder: name });
    };
    const runs = ({ dispatcher }: Running) => until(() => dispatcher.status().state === 'running');
    const names = () =>
      receiver.received
        .map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)
        .sort();
    const write = async (name: string, count: number): Promise<string[]> => {
      const written = Array.from({ length: count }, (_, n) => `${name} ${n}`);
      await Promise.all(written.map((each) => writer.createAffiliate(newId('affiliate'), each)));
      return written;
    };

    it('send each event once, share their progress, and leave a floor for another bus', async () => {
      const [first, second] = [await start('one'), await start('two')];
      await Promise.all([runs(first), runs(second)]);
      const written = await write('a', 30);
      await until(() => receiver.received.length >= 30);
      const last = receiver.received
        .map(({ body }) => (JSON.parse(body) as { position: Position }).position)
        .reduce<Position | undefined>(laterOf, undefined);
      await writer.createAccount('not public');
      await Promise.all([bench.caughtUp(first), bench.caughtUp(second)]);
      expect(await first.dispatcher.lag()).toEqual({
        positions: 0n,
        seconds: 0,
        endpointSeconds: 0,
      });
      expect(names()).toEqual(written.sort());
      await until(async () => (await store.floor()) === last);
      // an attempt without a recorded outcome would be repeated
      await until(async () => (await store.counts()).succeeded === 30);
      await Promise.all([first.stop(), second.stop()]);
      await store.expire('9999-12-31T23:59:59.999Z', 1_000);

      const embedded = await bench.start({ store });
      await runs(embedded);
      const more = await write('b', 3);
      await until(() => receiver.received.length >= 33);
      await bench.caughtUp(embedded);
      expect(names()).toEqual([...written, ...more].sort());
    });

    it('continue with other partitions while one waits at an unreadable message', async () => {
      const only = await start('one');
      await runs(only);
      await write('before', 3);
      await until(() => receiver.received.length === 3);
      const [poison, head] = [randomUUID(), present(await bench.log.head())];
      const producer = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING }).producer();
      await producer.connect();
      const headers = {
        ce_specversion: '1.0',
        ce_source: `/refledger/logs/${bench.log.id}`,
        ce_id: publicEventId(poison),
        ce_type: 'affiliate.merged',
        ce_position: head,
        ce_subject: newId('affiliate'),
      };
      await producer.send({
        topic: `${prefix}.affiliates`,
        messages: [{ partition: 0, key: 'any', value: '{}', headers }],
      });
      await producer.disconnect();
      await until(() => only.dispatcher.status().state === 'stopped');
      expect(only.dispatcher.status().reason).toContain(`ops skip webhook-dispatcher ${head}`);
      const written = await write('after', 30);
      // two of the three partitions continue
      await until(() => receiver.received.length > 3);
      expect(receiver.received.length).toBeLessThan(33);
      await bench.decide({ type: 'skip', event_id: poison, position: head });
      await until(() => receiver.received.length === 33);
      await runs(only);
      expect(names()).toEqual(expect.arrayContaining(written));
    });

    it('all stop when their offsets are from another cluster, and all continue after one decision', async () => {
      const [first, second] = [await start('one'), await start('two')];
      await Promise.all([runs(first), runs(second)]);
      await write('a', 12);
      await until(() => receiver.received.length === 12);
      await Promise.all([bench.caughtUp(first), bench.caughtUp(second)]);
      await until(async () => (await store.counts()).succeeded === 12);
      await Promise.all([first.stop(), second.stop()]);
      await store.resetOffsets(
        (await store.offsets()).map((offset) => ({ ...offset, source: 'another' })),
        await store.floor(),
      );
      const again = [await start('three'), await start('four')];
      await until(() => again.every(({ dispatcher }) => dispatcher.status().state === 'stopped'));
      await bench.decide({ type: 'resume', from: 'head' });
      await Promise.all(again.map(runs));
      await write('b', 6);
      await until(() => receiver.received.length === 18);
      expect(names().filter((name) => name.startsWith('b'))).toHaveLength(6);
    });

    itInFull(
      'report that the bus is unavailable, send waiting deliveries, and recover by themselves',
      async () => {
        if (server().from === 'environment') return;
        const only = await start('one');
        await runs(only);
        await server().kill();
        await until(() => only.dispatcher.status().state === 'retrying');
        expect(only.dispatcher.status().reason).toBeDefined();
        await write('meanwhile', 3);
        await server().start();
        await until(() => receiver.received.length === 3);
        await runs(only);
      },
    );
  });
};

describeOnServer('Kafka', 'dispatchers that share the partitions of a broker', (server) => {
  describe('and a store in one process', () => {
    let open: { readonly directory: string; readonly store: DeliveryStore } | undefined;
    dispatchersWith(server, {
      // only one process can open a SQLite store, so the dispatchers share a handle here
      open: async (directory) =>
        (open =
          open?.directory === directory
            ? open
            : {
                directory,
                store: await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, {
                  dataDir: directory,
                }),
              }).store,
    });
  });

  describeOnServer(
    'MongoDB',
    'and a store on MongoDB, each over a connection of its own',
    (mongodb) => {
      dispatchersWith(server, {
        open: (dataDir) =>
          openDeliveryStore(databaseUrl(mongodb().url, basename(dataDir)), { dataDir }),
      });
    },
  );
});
