import { randomUUID } from 'node:crypto';
import { publicEventId, type Position } from '@refledger/contracts';
import type { KafkaMessage } from 'kafkajs';
import { OffsetNotFound } from '../../event-bus.js';
import { AssignedPartition } from './assigned-partition.js';

const last = { offset: 7n, position: '40' as Position, eventId: randomUUID() };
const message = (offset: number, eventId: string = randomUUID()) =>
  ({
    offset: String(offset),
    headers: { ce_id: Buffer.from(publicEventId(eventId)) },
  }) as unknown as KafkaMessage;
const batch = (first: number | null, messages: KafkaMessage[] = []) => ({
  firstOffset: () => (first === null ? null : String(first)),
  messages,
});
const from = (offset: bigint) => new AssignedPartition('topic', 0, 'source', { offset });

it('continues from batch to batch, across the broker’s own records', () => {
  const partition = from(5n);
  expect(partition.continueWith(batch(5))).toBe('yes');
  partition.advanceTo('9', last);
  expect(partition.offset).toEqual({
    source: 'source',
    partition: 'topic/0',
    offset: '9',
    mark: `7 40 ${last.eventId}`,
  });
  expect(partition.continueWith(batch(10))).toBe('yes');
  partition.advanceTo('11');
  expect(partition.offset).toMatchObject({ offset: '11', mark: `7 40 ${last.eventId}` });
});

it('reads a stray batch again once, since it may have been fetched before the assignment', () => {
  const partition = from(5n);
  expect(partition.continueWith(batch(3))).toBe('read again');
  expect(partition.continueWith(batch(5))).toBe('yes');
  expect(partition.continueWith(batch(12))).toBe('read again');
  expect(() => partition.continueWith(batch(12))).toThrow(OffsetNotFound);
});

it('checks the last record first, and yields what follows it', () => {
  const partition = new AssignedPartition('topic', 0, 'source', { offset: 7n, last });
  expect(
    partition.unread([message(7, last.eventId), message(8)]).map(({ offset }) => offset),
  ).toEqual(['8']);
  expect(partition.expected).toBe(8n);
  expect(partition.unread([message(8)])).toHaveLength(1);
});

it('refuses to continue at another message', () => {
  const fresh = () => new AssignedPartition('topic', 0, 'source', { offset: 7n, last });
  expect(() => fresh().unread([message(7)])).toThrow(OffsetNotFound);
  expect(() => fresh().unread([message(8, last.eventId)])).toThrow(OffsetNotFound);
  expect(() => fresh().unread([])).toThrow(OffsetNotFound);
});
