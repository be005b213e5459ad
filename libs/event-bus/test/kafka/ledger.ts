import { randomUUID } from 'node:crypto';
import { isPublicEventType, publicEventId, type EventId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { eventually } from '@refledger/testing';
import { Kafka, logLevel } from 'kafkajs';

/** A message as any consumer on the cluster sees it. */
export interface Seen {
  readonly id: string;
  readonly key: string;
  readonly position: bigint;
  readonly topic: string;
  readonly partition: number;
}

/**
 * Reads everything in the topics with a plain consumer, in order. Reads committed messages only,
 * unless `uncommitted` is set.
 */
export const readAll = async (
  brokers: readonly string[],
  prefix: string,
  { uncommitted = false } = {},
): Promise<readonly Seen[]> => {
  const kafka = new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 1_000 },
  });
  const topics = ['affiliates', 'programs', 'conversions', 'payouts'].map(
    (kind) => `${prefix}.${kind}`,
  );
  const admin = kafka.admin();
  const consumer = kafka.consumer({
    groupId: randomUUID(),
    readUncommitted: uncommitted,
    maxWaitTimeInMs: 100,
  });
  await admin.connect();
  const ends = new Map<string, bigint>();
  for (const topic of topics)
    for (const { partition, high } of await admin.fetchTopicOffsets(topic))
      ends.set(`${topic}/${partition}`, BigInt(high));
  await admin.disconnect();
  const seen: Seen[] = [];
  const reached = new Map<string, bigint>();
  consumer.on(
    consumer.events.END_BATCH_PROCESS,
    ({ payload: { topic, partition, lastOffset } }) =>
      void reached.set(`${topic}/${partition}`, BigInt(lastOffset) + 1n),
  );
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachBatch: ({ batch: { topic, partition, messages } }) => {
      for (const { key, headers = {} } of messages)
        seen.push({
          id: String(headers.ce_id),
          key: String(key),
          position: BigInt(String(headers.ce_position)),
          topic,
          partition,
        });
      return Promise.resolve();
    },
  });
  await eventually(
    () => {
      for (const [partition, end] of ends)
        if ((reached.get(partition) ?? 0n) < end)
          throw new Error(`${partition} was read up to ${reached.get(partition)} of ${end}`);
    },
    { timeoutMs: 30_000 },
  );
  await consumer.disconnect();
  return seen;
};

/** The ids that the topics should hold: those of the log's public events. */
export const publicEvents = async (log: EventLog): Promise<readonly string[]> => {
  const ids: EventId[] = [];
  for await (const { events } of log.readAll())
    for (const { id, type } of events) if (isPublicEventType(type)) ids.push(id);
  return ids.map(publicEventId);
};

/** Checks that each public event of the log was seen once, and in the log's order per key. */
export const expectOnceInOrder = async (seen: readonly Seen[], log: EventLog): Promise<void> => {
  const expected = await publicEvents(log);
  expect(seen.length).toBe(expected.length);
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(expected));
  const last = new Map<string, bigint>();
  for (const { key, position, topic } of seen) {
    const before = last.get(`${topic} ${key}`) ?? -1n;
    if (position <= before) throw new Error(`${key} at ${position} comes after ${before}`);
    last.set(`${topic} ${key}`, position);
  }
};
