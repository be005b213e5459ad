import { Kafka, logLevel, type Producer } from 'kafkajs';
import { describeOnServer } from '../servers/describe-on-server.js';

describeOnServer('Kafka', 'a Kafka broker that a suite starts', (server) => {
  let kafka: Kafka;
  let producer: Producer;
  beforeAll(async () => {
    kafka = new Kafka({
      brokers: server().url.split(','),
      logLevel: logLevel.NOTHING,
      retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 1_000 },
    });
    producer = kafka.producer();
    await producer.connect();
  });
  afterAll(() => producer.disconnect());

  it('keeps acknowledged writes through a kill, at the same address, and does nothing while paused', async () => {
    if (server().from === 'environment')
      return expect(server().kill()).rejects.toThrow('from the environment');
    const topic = 'notes';
    const end = async (): Promise<string | undefined> => {
      const admin = kafka.admin();
      await admin.connect();
      return admin
        .fetchTopicOffsets(topic)
        .then(([partition]) => partition?.high)
        .finally(() => admin.disconnect());
    };
    const admin = kafka.admin();
    await admin.connect();
    await admin
      .createTopics({
        topics: [{ topic, numPartitions: 1, replicationFactor: 1 }],
        waitForLeaders: true,
      })
      .finally(() => admin.disconnect());
    await producer.send({ topic, acks: -1, messages: [{ value: 'one' }] });

    await server().kill();
    await server().start();
    expect(await end()).toBe('1');

    let answered = false;
    server().pause();
    const sent = producer
      .send({ topic, acks: -1, messages: [{ value: 'two' }] })
      .then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answered).toBe(false);
    server().resume();
    await sent;

    await server().restart();
    expect(Number(await end())).toBeGreaterThanOrEqual(2);
  });
});
