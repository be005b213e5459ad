import { randomUUID } from 'node:crypto';
import type { Position } from '@refledger/contracts';
import { OffsetNotFound } from '../../event-bus.js';
import { beginningOf, lastOf, offsetInPartition } from './offset-in-partition.js';

const last = { offset: 7n, position: '40' as Position, eventId: randomUUID() };
const offset = offsetInPartition('cluster/log', 'topic/0', 9n, last);
const begin = (low: bigint, high: bigint, at = offset) =>
  beginningOf(at, 'cluster/log', { low, high });

it('carries the last record as its mark', () => {
  expect(offset).toEqual({
    source: 'cluster/log',
    partition: 'topic/0',
    offset: '9',
    mark: `7 40 ${last.eventId}`,
  });
  expect(lastOf(offset)).toEqual(last);
  expect(lastOf(offsetInPartition('s', 'p', 1n, undefined))).toBeUndefined();
});

it('starts with the last record, to check that it is unchanged', () => {
  expect(begin(0n, 20n)).toEqual({ offset: 7n, last });
  expect(begin(7n, 10n)).toEqual({ offset: 7n, last });
});

it('starts after the offset once the broker has dropped the last record, unless later ones are gone', () => {
  expect(begin(8n, 20n)).toEqual({ offset: 10n });
  expect(begin(10n, 10n)).toEqual({ offset: 10n });
  expect(() => begin(11n, 20n)).toThrow(/starts at offset 11.*gone/);
});

it('starts at the first record without an offset, and after an offset without a mark', () => {
  expect(beginningOf(undefined, 'cluster/log', { low: 5n, high: 9n })).toEqual({ offset: 5n });
  expect(begin(0n, 20n, offsetInPartition('cluster/log', 'topic/0', 9n, undefined))).toEqual({
    offset: 10n,
  });
});

it('rejects an offset that is beyond the end, from another source, or of another kind', () => {
  expect(() => begin(0n, 9n)).toThrow(OffsetNotFound);
  expect(() => begin(0n, 0n)).toThrow(OffsetNotFound);
  for (const wrong of [
    { source: 'other' },
    { mark: 'event' },
    { mark: '1 2' },
    { offset: '-1' },
    { offset: 'x' },
  ])
    expect(() => begin(0n, 20n, { ...offset, ...wrong })).toThrow(OffsetNotFound);
});
