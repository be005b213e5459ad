import { toPosition, type Position, type StreamName } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import type { Delivery } from '@refledger/delivery-store';
import { present } from '@refledger/testing/present';
import { translatedDelivery, translatedOffset } from './copy-deliveries.js';
import { positionTranslation } from './position-translation.js';

const stream = 'refledger.a' as StreamName;
const positionOf = (position: string): Position => present(toPosition(position));
const eventOf = (id: string, revision: number, position: string): LoggedEvent => ({
  id,
  type: 'test',
  data: {},
  metadata: { account_id: null, actor: 'a', request_id: 'r', schema: 1, recorded_at: '' },
  stream,
  revision,
  position: positionOf(position),
});
const logOf = (...events: LoggedEvent[]): Pick<EventLog, 'eventAt' | 'readStream'> => ({
  eventAt: (position) => Promise.resolve(events.find((event) => event.position === position)),
  async *readStream(name, { from = 0, to = from } = {}) {
    yield await Promise.resolve(
      events.filter(
        (event) => event.stream === name && event.revision >= from && event.revision <= to,
      ),
    );
  },
});

// Given the same events at other positions in a second log, which lacks one event and has a foreign
// one in place of the last.
const source = logOf(
  eventOf('one', 0, '2'),
  eventOf('two', 1, '3'),
  eventOf('lost', 2, '4'),
  eventOf('other', 3, '5'),
);
const target = logOf(
  eventOf('one', 0, '1200'),
  eventOf('two', 1, '1950'),
  eventOf('someone else’s', 3, '4000'),
);
const translate = positionTranslation(source, target);

it('a position is translated to that of the same event', async () => {
  expect((await translate(positionOf('2'))).position).toBe('1200');
  expect((await translate(positionOf('3'))).position).toBe('1950');
});

it.each([
  ['4', /is not on the target/],
  ['5', /is not on the target/],
  ['9', /has no event/],
])('position %s, which has no counterpart, is rejected', async (position, why) => {
  await expect(translate(positionOf(position))).rejects.toThrow(why);
});

it('only the positions of a delivery change, each to that of its own event', async () => {
  const delivery = {
    id: 'dlv_1',
    position: positionOf('2'),
    decidedAt: positionOf('3'),
    body: '{"position":"2"}',
    attempts: [],
  } as unknown as Delivery;
  expect(await translatedDelivery(delivery, translate)).toEqual({
    ...delivery,
    position: '1200',
    decidedAt: '1950',
  });
});

it('a test, whose event is in no log, keeps its position', async () => {
  const test = {
    trigger: 'test',
    position: positionOf('0'),
    decidedAt: positionOf('3'),
  } as unknown as Delivery;
  expect(await translatedDelivery(test, translate)).toEqual({ ...test, decidedAt: '1950' });
});

it('an offset is translated to the other log, and names the same event', async () => {
  const offset = { source: 'source log', partition: 'log', offset: '3', mark: 'two' };
  expect(await translatedOffset(offset, 'target log', translate)).toEqual({
    source: 'target log',
    partition: 'log',
    offset: '1950',
    mark: 'two',
  });
});

it('an offset whose event is not the one in the source’s own log is rejected', async () => {
  const offset = { source: 'source log', partition: 'log', offset: '3', mark: 'another' };
  await expect(translatedOffset(offset, 'target log', translate)).rejects.toThrow(
    /has a different event at position 3/,
  );
});
