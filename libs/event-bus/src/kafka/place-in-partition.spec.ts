import { randomUUID } from 'node:crypto';
import type { Position } from '@refledger/contracts';
import { PlaceNotFound } from '../event-bus.js';
import { beginningOf, lastOf, placeInPartition } from './place-in-partition.js';

const last = { offset: 7n, position: '40' as Position, eventId: randomUUID() };
const place = placeInPartition('cluster/log', 'topic/0', 9n, last);
const begin = (low: bigint, high: bigint, at = place) =>
  beginningOf(at, 'cluster/log', { low, high });

it('carries the last record as its mark', () => {
  expect(place).toEqual({
    source: 'cluster/log',
    partition: 'topic/0',
    offset: '9',
    mark: `7 40 ${last.eventId}`,
  });
  expect(lastOf(place)).toEqual(last);
  expect(lastOf(placeInPartition('s', 'p', 1n, undefined))).toBeUndefined();
});

it('begins with the last record, to see that it is still the one', () => {
  expect(begin(0n, 20n)).toEqual({ offset: 7n, last });
  expect(begin(7n, 10n)).toEqual({ offset: 7n, last });
});

it('begins after it once the broker has dropped the record, as long as nothing after it is gone', () => {
  expect(begin(8n, 20n)).toEqual({ offset: 10n });
  expect(begin(10n, 10n)).toEqual({ offset: 10n });
  expect(() => begin(11n, 20n)).toThrow(/begins at offset 11.*gone/);
});

it('begins at what there is without a place, and after a place without a mark', () => {
  expect(beginningOf(undefined, 'cluster/log', { low: 5n, high: 9n })).toEqual({ offset: 5n });
  expect(begin(0n, 20n, placeInPartition('cluster/log', 'topic/0', 9n, undefined))).toEqual({
    offset: 10n,
  });
});

it('refuses a place beyond the end, of another source, or of another kind', () => {
  expect(() => begin(0n, 9n)).toThrow(PlaceNotFound);
  expect(() => begin(0n, 0n)).toThrow(PlaceNotFound);
  for (const wrong of [
    { source: 'other' },
    { mark: 'event' },
    { mark: '1 2' },
    { offset: '-1' },
    { offset: 'x' },
  ])
    expect(() => begin(0n, 20n, { ...place, ...wrong })).toThrow(PlaceNotFound);
});
