import { randomUUID } from 'node:crypto';
import { newId, type OpenAffiliateRecord, type Position } from '@refledger/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { PublishedRecord } from '../../event-bus.js';
import { toMessage } from '../message.js';
import { chunksOf, type ChunkOptions } from './chunks.js';

const ours = (
  offset: number,
  change: { readonly value?: string; readonly logId?: string; readonly eventId?: string } = {},
): KafkaMessage => {
  const record = {
    eventId: change.eventId ?? randomUUID(),
    type: 'affiliate.created',
    accountId: newId('account'),
    key: 'k',
    position: String(offset * 10) as Position,
    revision: 0,
    timestamp: '',
    record: { id: 'aff_1', object: 'affiliate', revision: 0 } as unknown as OpenAffiliateRecord,
  } satisfies PublishedRecord;
  const { value, headers } = toMessage(record, change.logId ?? 'log');
  return {
    offset: String(offset),
    key: Buffer.from('k'),
    value: Buffer.from(change.value ?? value),
    headers,
  } as unknown as KafkaMessage;
};
const foreign = (offset: number) =>
  ({ offset: String(offset), key: null, value: null, headers: {} }) as unknown as KafkaMessage;
const read = (messages: readonly KafkaMessage[], reading: Partial<ChunkOptions> = {}) => [
  ...chunksOf(messages, { logId: 'log', isSkipped: () => false, size: 2, ...reading }),
];

it('chunks have the requested size, and their last offset', () => {
  expect(
    read([1, 2, 3, 4, 5].map((offset) => ours(offset))).map(({ records, offset, last }) => [
      records.length,
      offset,
      last?.offset,
    ]),
  ).toEqual([
    [2, '2', 2n],
    [2, '4', 4n],
    [1, '5', 5n],
  ]);
  expect(read([])).toMatchObject([{ records: [], offset: undefined }]);
});

it('chunks separate foreign messages, and ignore those from another log', () => {
  const [chunk] = read([ours(1), foreign(2), ours(3, { logId: 'other' })], { size: 10 });
  expect(chunk).toMatchObject({
    offset: '3',
    last: { offset: 1n },
    otherLogs: ['other'],
    foreign: [{ message: { offset: '2' } }],
  });
  expect(chunk?.records).toHaveLength(1);
});

it('chunks end before an unreadable message, unless it is skipped', () => {
  const poison = randomUUID();
  const messages = [ours(1), ours(2, { value: 'x', eventId: poison }), ours(3)];
  expect(read(messages)).toMatchObject([{ offset: '1', unreadable: { event: { id: poison } } }]);
  expect(read(messages.slice(1))).toMatchObject([
    { offset: undefined, unreadable: { event: { id: poison } } },
  ]);
  expect(
    read(messages, { isSkipped: (id) => id === poison }).flatMap(({ records }) => records),
  ).toHaveLength(2);
});
