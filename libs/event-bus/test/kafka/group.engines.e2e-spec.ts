import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isPublicEventType } from '@refledger/contracts';
import { plainPersonalData } from '@refledger/domain/testing';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { itInFull, eventually, scaledTimeout } from '@refledger/testing';
import { describeOnServer } from '@refledger/testing/servers';
import { Kafka, logLevel } from 'kafkajs';
import { OffsetNotFound, type Offset } from '../../src/event-bus.js';
import { openKafkaBus, openKafkaPublication } from '../../src/kafka/index.js';
import { Relay } from '../../src/relay.js';
import { ConsumerProcess, SharedStore } from './consumers.js';
import { quiet } from './quiet.js';
import { openSampleLog, type SampleLog } from './sample-log.js';

describeOnServer('Kafka', 'a group of consumers on a broker', (server) => {
  let sample: SampleLog;
  let log: EventLog;
  let prefix: string;
  let store: SharedStore;
  let consumers: ConsumerProcess[];
  let endRelay: () => Promise<void>;
  beforeEach(async () => {
    sample = await openSampleLog();
    ({ log } = sample);
    prefix = `test-${randomUUID()}`;
    store = new SharedStore();
    consumers = [];
    const publication = openKafkaPublication({
      brokers: brokers(),
      prefix,
      logger: quiet,
      partitions: 4,
    });
    const relay = new Relay({
      log,
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
  });
  afterEach(async () => {
    for (const consumer of consumers) await consumer.end();
    await endRelay();
    await sample.remove();
  });

  const brokers = () => server().url.split(',');
  const member = (): ConsumerProcess => {
    const consumer = new ConsumerProcess(store, {
      file: sample.file,
      brokers: brokers(),
      prefix,
      session: { sessionTimeout: 6_000, heartbeatInterval: 500 },
    });
    consumers.push(consumer);
    return consumer;
  };
  const write: SampleLog['write'] = (affiliates, changes) => sample.write(affiliates, changes);
  const publicIds = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const { events } of log.readAll())
      ids.push(...events.filter(({ type }) => isPublicEventType(type)).map(({ id }) => id));
    return ids;
  };
  /** Waits until everything is planned, and checks that the first plans were in order per key. */
  const allPlanned = async (): Promise<void> => {
    const expected = await publicIds();
    await eventually(
      () => {
        if (store.planned.size < expected.length)
          throw new Error(
            `${store.planned.size} of ${expected.length} are planned; errors: ${consumers.flatMap(({ met }) => met).join('; ')}`,
          );
      },
      { timeoutMs: 60_000 },
    );
    expect(new Set(store.planned.keys())).toEqual(new Set(expected));
    const last = new Map<string, bigint>();
    for (const { key, position } of store.planned.values()) {
      expect(position > (last.get(key) ?? -1n)).toBe(true);
      last.set(key, position);
    }
  };
  const handsOver = (consumer: ConsumerProcess) =>
    eventually(() => expect(consumer.handed).toBeGreaterThan(0), { timeoutMs: 30_000 });

  it('shares its partitions with added members, and redistributes them when some are killed or leave', async () => {
    const first = member();
    await write(20, 5);
    await handsOver(first);
    const [second, third] = [member(), member()];
    await eventually(
      () => expect(Math.min(second.assigned.size, third.assigned.size)).toBeGreaterThan(0),
      { timeoutMs: 30_000 },
    );
    const writing = write(30, 10);
    await handsOver(second);
    await second.end('SIGKILL');
    await writing;
    await first.end();
    await write(10, 2);
    await allPlanned();
    expect(third.handed).toBeGreaterThan(0);
  });

  itInFull(
    'continues without a member that is suspended past its session; once resumed, it loses nothing and plans nothing twice',
    async () => {
      const [first, second] = [member(), member()];
      // A member that joined later would find nothing left.
      await eventually(
        () => expect(Math.min(first.assigned.size, second.assigned.size)).toBeGreaterThan(0),
        { timeoutMs: 60_000 },
      );
      await write(20, 5);
      await Promise.all([handsOver(first), handsOver(second)]);
      await allPlanned();
      const writing = write(20, 10);
      first.signal('SIGSTOP');
      await writing;
      await allPlanned();
      first.signal('SIGCONT');
      const before = first.assigned.size;
      await write(20, 5);
      await allPlanned();
      expect(before).toBeGreaterThan(0);
    },
  );

  itInFull('waits for a broker that is killed, suspended or restarted', async () => {
    if (server().from === 'environment') return;
    member();
    member();
    await write(10, 2);
    await allPlanned();
    for (const inject of [
      () =>
        server()
          .kill()
          .then(() => server().start()),
      () => server().restart(),
      () => Promise.resolve(server().pause()),
    ]) {
      const writing = write(20, 5);
      await inject();
      await writing;
      server().resume();
      await allPlanned();
    }
  });

  describe('refuses', () => {
    const offsetsNow = async (): Promise<Map<string, Offset>> => {
      const consumer = member();
      await write(10, 3);
      await allPlanned();
      await consumer.end();
      return new Map(store.offsets);
    };
    const consumeFrom = async (
      offsets: ReadonlyMap<string, Offset>,
      on: EventLog = log,
    ): Promise<void> => {
      const bus = openKafkaBus({
        brokers: brokers(),
        prefix,
        group: `suite-${randomUUID()}`,
        log: on,
        logger: quiet,
      });
      const stop = AbortSignal.timeout(scaledTimeout(15_000));
      try {
        for await (const _batch of bus.consume({
          offsetOf: (partition) => Promise.resolve(offsets.get(partition)),
          signal: stop,
        }));
      } finally {
        await bus.close();
      }
    };
    const withAdmin = async (
      work: (admin: ReturnType<Kafka['admin']>) => Promise<unknown>,
    ): Promise<void> => {
      const admin = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      await work(admin).finally(() => admin.disconnect());
    };
    const topic = () => `${prefix}.affiliates`;

    it('missing offsets', async () => {
      const offsets = await offsetsNow();
      // The ids are spread over the partitions at random, and a commit's own record may follow an
      // offset too.
      await eventually(async () => {
        await write(4, 1);
        expect(
          (await openEnds()).every(
            ([partition, high]) => high > BigInt(offsets.get(partition)?.offset ?? -1) + 2n,
          ),
        ).toBe(true);
      });
      await withAdmin(async (admin) => {
        const offsets = await admin.fetchTopicOffsets(topic());
        await admin.deleteTopicRecords({
          topic: topic(),
          partitions: offsets.map(({ partition, high }) => ({ partition, offset: high })),
        });
      });
      await expect(consumeFrom(offsets)).rejects.toThrow(/the messages in between are gone/);
    });
    const openEnds = async (): Promise<readonly (readonly [string, bigint])[]> => {
      const ends: (readonly [string, bigint])[] = [];
      await withAdmin(async (admin) => {
        for (const { partition, high } of await admin.fetchTopicOffsets(topic()))
          if (BigInt(high) > 0n) ends.push([`${topic()}/${partition}`, BigInt(high)]);
      });
      return ends;
    };

    it('another topic of the same name, whatever its length', async () => {
      const offsets = await offsetsNow();
      await endRelay();
      endRelay = () => Promise.resolve();
      await withAdmin(async (admin) => {
        await admin.deleteTopics({ topics: [topic()] });
        await eventually(async () => expect(await admin.listTopics()).not.toContain(topic()));
        // an attempt whose response was lost may have created it, so that the next one does not
        await eventually(() =>
          admin.createTopics({ topics: [{ topic: topic(), numPartitions: 4 }] }),
        );
      });
      await expect(consumeFrom(offsets)).rejects.toThrow(OffsetNotFound);
      const producer = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING }).producer();
      await producer.connect();
      for (let partition = 0; partition < 4; partition++)
        await producer.send({
          topic: topic(),
          messages: Array.from({ length: 200 }, () => ({ partition, value: 'other' })),
        });
      await producer.disconnect();
      await expect(consumeFrom(offsets)).rejects.toThrow(/it is a different topic/);
    });

    it('offsets from another log, and those of lost events', async () => {
      const offsets = await offsetsNow();
      const other = await openSqliteEventLog({
        file: join(sample.directory, 'other.db'),
        mode: 'write',
      });
      await expect(consumeFrom(offsets, other)).rejects.toThrow(OffsetNotFound);
      await other.close();
      const torn = new Proxy(log, {
        get: (target, name) =>
          name === 'eventAt'
            ? () => Promise.resolve(undefined)
            : (Reflect.get(target, name) as unknown),
      });
      await expect(consumeFrom(offsets, torn)).rejects.toThrow(/the log lacks event/);
    });
  });

  it('moves foreign messages to the dead letters, ignores those from another log, and continues', async () => {
    await write(2, 2);
    member();
    await allPlanned();
    const kafka = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING });
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({
      topic: `${prefix}.affiliates`,
      messages: [
        { key: 'stray', value: 'what is this', headers: { from: 'elsewhere' } },
        {
          key: 'old',
          value: '{}',
          headers: { ce_specversion: '1.0', ce_source: '/refledger/logs/another' },
        },
      ],
    });
    await producer.disconnect();
    await write(3, 2);
    await allPlanned();
    const consumer = kafka.consumer({ groupId: randomUUID() });
    const letters: {
      readonly value: string;
      readonly headers: Readonly<Record<string, string>>;
    }[] = [];
    await consumer.connect();
    await consumer.subscribe({ topic: `${prefix}.dead-letters`, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message: { value, headers = {} } }) =>
        Promise.resolve(
          void letters.push({
            value: String(value),
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, String(text)]),
            ),
          }),
        ),
    });
    await eventually(() => expect(letters).toHaveLength(1));
    await consumer.disconnect();
    expect(letters[0]).toMatchObject({
      value: 'what is this',
      headers: {
        from: 'elsewhere',
        dead_letter_reason: 'it is not a CloudEvent from this service',
        dead_letter_from: expect.stringMatching(/^test-.*\.affiliates\/\d\/\d+$/) as string,
      },
    });
  });
});
