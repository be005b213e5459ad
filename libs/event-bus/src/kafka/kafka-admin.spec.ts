import type { Admin } from 'kafkajs';
import { KafkaAdmin } from './kafka-admin.js';

/**
 * A cluster that fails with these errors first and then returns the offsets of one partition. It
 * supports one request.
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

it('is asked again over a new connection while a partition gets its leader', async () => {
  const cluster = clusterAfter(
    protocolError('NOT_LEADER_FOR_PARTITION'),
    protocolError('LEADER_NOT_AVAILABLE'),
  );
  expect(await new KafkaAdmin(cluster).extentsOf('sales')).toEqual(
    new Map([[0, { low: 2n, high: 7n }]]),
  );
  expect(cluster.connections()).toBe(3);
});

it('says any other error at once, and connects anew for the next question', async () => {
  const cluster = clusterAfter(protocolError('TOPIC_AUTHORIZATION_FAILED'));
  const admin = new KafkaAdmin(cluster);
  await expect(admin.extentsOf('sales')).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
  expect(cluster.connections()).toBe(1);
  expect((await admin.extentsOf('sales')).size).toBe(1);
  expect(cluster.connections()).toBe(2);
});
