import type { Admin } from 'kafkajs';
import { KafkaAdmin } from './kafka-admin.js';

/**
 * A cluster that fails with these errors first and then returns the offsets of one partition. It
 * supports only this request.
 */
const clusterAfter = (...errors: readonly Error[]) => {
  const left = [...errors];
  let connections = 0;
  const admin = {
    connect: () => Promise.resolve(void (connections += 1)),
    disconnect: () => Promise.resolve(),
    fetchTopicOffsets: () => {
      const error = left.shift();
      return error === undefined
        ? Promise.resolve([{ partition: 0, offset: '7', low: '2', high: '7' }])
        : Promise.reject(error);
    },
  };
  return { admin: () => admin as unknown as Admin, connections: () => connections };
};

/** An error as the client makes it from a protocol response. */
const protocolError = (type: string): Error => Object.assign(new Error(type), { type });

it('retries over a new connection while a partition elects its leader', async () => {
  const cluster = clusterAfter(
    protocolError('NOT_LEADER_FOR_PARTITION'),
    protocolError('LEADER_NOT_AVAILABLE'),
  );
  expect(await new KafkaAdmin(cluster).extentsOf('sales')).toEqual(
    new Map([[0, { low: 2n, high: 7n }]]),
  );
  expect(cluster.connections()).toBe(3);
});

it('reports any other error immediately, and reconnects for the next request', async () => {
  const cluster = clusterAfter(protocolError('TOPIC_AUTHORIZATION_FAILED'));
  const admin = new KafkaAdmin(cluster);
  await expect(admin.extentsOf('sales')).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
  expect(cluster.connections()).toBe(1);
  expect((await admin.extentsOf('sales')).size).toBe(1);
  expect(cluster.connections()).toBe(2);
});

it('disconnects after an error only once no other request uses the connection', async () => {
  const offsets = [{ partition: 0, offset: '7', low: '2', high: '7' }];
  const disconnected: number[] = [];
  let connections = 0;
  let respond: (of: typeof offsets) => void = () => undefined;
  const kafka = {
    admin: () => {
      const number = (connections += 1);
      return {
        connect: () => Promise.resolve(),
        disconnect: () => Promise.resolve(void disconnected.push(number)),
        fetchTopicOffsets: (topic: string) =>
          topic === 'slow'
            ? new Promise<typeof offsets>((resolve) => (respond = resolve))
            : Promise.reject(protocolError('TOPIC_AUTHORIZATION_FAILED')),
      } as unknown as Admin;
    },
  };
  const admin = new KafkaAdmin(kafka);
  const slow = admin.extentsOf('slow');
  await expect(admin.extentsOf('secret')).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
  expect(disconnected).toEqual([]);
  respond(offsets);
  expect((await slow).size).toBe(1);
  expect(disconnected).toEqual([1]);
});
