import type { Position } from '@refledger/contracts';
import type { BusEnd, BusPlace } from '@refledger/event-bus';
import { ManualClock } from '../../test/manual-clock.js';
import type { Plan } from '../stores/delivery-store.js';
import { BusProgress } from './bus-progress.js';

const place = (partition: string, offset: number, source = 's'): BusPlace => ({
  source,
  partition,
  offset: String(offset),
});
const end = (position: number, lastRecord: number | undefined, ...places: BusPlace[]): BusEnd => ({
  position: String(position) as Position,
  lastRecord: lastRecord === undefined ? undefined : (String(lastRecord) as Position),
  places,
});

const given = (...ends: (BusEnd | undefined)[]) => {
  const plans: Plan[] = [];
  const floors: (Position | undefined)[] = [];
  const places: BusPlace[] = [];
  const store = {
    places: () => Promise.resolve(places),
    plan: (plan: Plan) => Promise.resolve((plans.push(plan), [])),
  };
  const bus = { end: () => Promise.resolve(ends.length > 1 ? ends.shift() : ends[0]) };
  const progress = new BusProgress({
    bus,
    store,
    clock: new ManualClock(),
    leases: { newLease: () => ({ holder: 'h', now: '', leaseUntil: '' }) },
    planner: { raiseFloor: (floor) => void floors.push(floor) },
    retryLog: {
      failed: (_what, error) => {
        throw error;
      },
    },
  });
  return { progress, places, plans, floors };
};

it('is as far as the bus was, once the places are past all of its partitions', async () => {
  const { progress, places, plans, floors } = given(
    end(10, 8, place('a', 5), place('b', 2)),
    end(20, 18, place('a', 9), place('b', 2)),
  );
  places.push(place('a', 7));
  await progress.look();
  expect(progress.position).toBeUndefined();
  places.push(place('b', 2));
  await progress.look();
  expect(progress.position).toBe('10');
  // the floor is that of the last record: what was not public may be lost and come again
  expect(plans).toEqual([{ deliveries: [], place: place('a', 7), floor: '8' }]);
  expect(floors).toEqual(['8']);
  await progress.look();
  expect(progress.position).toBe('10');
  places[0] = place('a', 9);
  await progress.look();
  expect(progress.position).toBe('20');
  expect(plans.map(({ floor }) => floor)).toEqual(['8', '18']);
});

it('takes no place of another source for one of this bus', async () => {
  const { progress, places } = given(end(10, 8, place('a', 5)));
  places.push(place('a', 7, 'another'));
  await progress.look();
  expect(progress.position).toBeUndefined();
});

it('raises no floor where nothing was published, and writes none twice', async () => {
  const { progress, places, plans } = given(undefined, end(10, undefined), end(11, 9), end(12, 9));
  places.push(place('a', 1));
  for (let looks = 0; looks < 4; looks++) await progress.look();
  expect(progress.position).toBe('12');
  expect(plans.map(({ floor }) => floor)).toEqual(['9']);
});
