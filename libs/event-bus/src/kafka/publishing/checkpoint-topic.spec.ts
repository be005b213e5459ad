import type { Position } from '@refledger/contracts';
import type { Message } from 'kafkajs';
import {
  CheckpointTopic,
  checkpointMessage,
  markerMessage,
  storeMessage,
} from './checkpoint-topic.js';

const checkpoint = (position: string) => ({
  logId: 'log',
  position: position as Position,
  eventId: `event ${position}`,
  lastRecord: '3' as Position,
});
const topic = () => {
  const read = new CheckpointTopic();
  let offset = 0;
  const take = ({ key, value }: Message): void =>
    read.apply({
      key: Buffer.from(String(key)),
      value: Buffer.from(String(value)),
      offset: String(offset++),
    });
  return { read, take };
};

it('returns the content before a marker', async () => {
  const { read, take } = topic();
  const found = read.upTo('m2', new AbortController().signal);
  for (const message of [
    storeMessage('store'),
    checkpointMessage(checkpoint('5')),
    markerMessage('m1'),
    checkpointMessage(checkpoint('7')),
    markerMessage('m2'),
    checkpointMessage(checkpoint('9')),
  ])
    take(message);
  expect(await found).toEqual({ storeId: 'store', checkpoint: checkpoint('7') });
  expect(read.next).toBe('6');
});

it('returns nothing for a new topic', async () => {
  const { read, take } = topic();
  const found = read.upTo('m', new AbortController().signal);
  take(markerMessage('m'));
  expect(await found).toEqual({ storeId: undefined, checkpoint: undefined });
});

it('stops waiting when another relay leads', async () => {
  const leading = new AbortController();
  const found = topic().read.upTo('m', leading.signal);
  leading.abort(new Error('another relay is publishing now'));
  await expect(found).rejects.toThrow('another relay');
  await expect(topic().read.upTo('m', leading.signal)).rejects.toThrow('another relay');
});
