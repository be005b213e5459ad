import type { Position } from '@refledger/contracts';
import type { BusEnd, Offset } from '@refledger/event-bus';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import type { Plan } from '@refledger/delivery-store';
import { BusProgress } from './bus-progress.js';

const offset = (partition: string, offset: number, source = 's'): Offset => ({
  source,
  partition,
  offset: String(offset),
});
const end = (position: number, lastRecord: number | undefined, ...offsets: Offset[]): BusEnd => ({
  position: String(position) as Position,
  lastRecord: lastRecord === undefined ? undefined : (String(lastRecord) as Position),
  offsets,
});

const given = (...ends: (BusEnd | undefined)[]) => {
  const plans: Plan[] = [];
  const floors: (Position | undefined)[] = [];
  const offsets: Offset[] = [];
  const store = {
    offsets: () => Promise.resolve(offsets),
    plan: (plan: Plan) => Promise.resolve((plans.push(plan), [])),
  };
  const bus = { end: () => Promise.resolve(ends.length > 1 ? ends.shift() : ends[0]) };
  const progress = new BusProgress({
    bus,
    store,
    clock: new ManualClock(),
    newLease: () => ({ holder: 'h', now: '', leaseUntil: '' }),
    planner: { raiseFloor: (floor) => void floors.push(floor) },
    logRetry: (_what, error) => {
      throw error;
    },
  });
  return { progress, offsets, plans, floors };
};

it('reaches the end of the bus once the offsets pass all of its partitions', async () => {
  const { progress, offsets, plans, floors } = given(
    end(10, 8, offset('a', 5), offset('b', 2)),
    end(20, 18, offset('a', 9), offset('b', 2)),
  );
  offsets.push(offset('a', 7));
  await progress.poll();
  expect(progress.position).toBeUndefined();
  offsets.push(offset('b', 2));
  await progress.poll();
  expect(progress.position).toBe('10');
  // the floor rises only to the last record: later events without records may be lost and come
  // again
  expect(plans).toEqual([{ deliveries: [], offset: offset('a', 7), floor: '8' }]);
  expect(floors).toEqual(['8']);
  await progress.poll();
  expect(progress.position).toBe('10');
  offsets[0] = offset('a', 9);
  await progress.poll();
  expect(progress.position).toBe('20');
  expect(plans.map(({ floor }) => floor)).toEqual(['8', '18']);
});

it('ignores an offset from another source', async () => {
  const { progress, offsets } = given(end(10, 8, offset('a', 5)));
  offsets.push(offset('a', 7, 'another'));
  await progress.poll();
  expect(progress.position).toBeUndefined();
});

it('continues from the floor after a decision, or when partitions are assigned again', async () => {
  const { progress, offsets, floors } = given(
    end(10, 8, offset('a', 5)),
    end(20, 18, offset('a', 9)),
  );
  offsets.push(offset('a', 7));
  await progress.poll();
  expect(progress.position).toBe('10');
  progress.continueAbove('3' as Position);
  expect(progress.position).toBe('3');
  offsets[0] = offset('a', 9);
  await progress.poll();
  expect(progress.position).toBe('20');
  expect(floors).toEqual(['8', '18']);
});

it('does not raise the floor without published records, or write it twice', async () => {
  const { progress, offsets, plans } = given(undefined, end(10, undefined), end(11, 9), end(12, 9));
  offsets.push(offset('a', 1));
  for (let polls = 0; polls < 4; polls++) await progress.poll();
  expect(progress.position).toBe('12');
  expect(plans.map(({ floor }) => floor)).toEqual(['9']);
});
