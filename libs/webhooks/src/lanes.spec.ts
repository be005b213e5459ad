import { derivedId } from '@refledger/contracts';
import { Lanes } from './lanes.js';

const [a, b] = [derivedId('endpoint', 'a'), derivedId('endpoint', 'b')];

/** One that has answered after so many milliseconds. */
const lanesWith = (
  answers: Readonly<Record<string, number>>,
  limits = { perEndpoint: 3, inAll: 16 },
) => {
  const lanes = new Lanes(limits);
  for (const [endpoint, ms] of Object.entries(answers))
    begin(lanes, endpoint as typeof a, 0)(ms, true);
  return lanes;
};
const begin = (lanes: Lanes, endpoint: typeof a, now: number) => {
  lanes.take(endpoint);
  return lanes.begin(endpoint, now);
};

it('is one wide until its endpoint has answered, then as wide as the limit, and one again while it does not answer', () => {
  const lanes = lanesWith({});
  const end = begin(lanes, a, 0);
  expect([lanes.hasRoom(a), lanes.hasRoom(b), lanes.ahead(a)]).toEqual([false, true, 0]);
  end(10, true);
  const ends = [begin(lanes, a, 10), begin(lanes, a, 10)];
  expect([lanes.hasRoom(a), lanes.ahead(a) > 0]).toEqual([true, true]);
  for (const silent of ends) silent(20, false);
  expect([lanes.hasRoom(a), lanes.ahead(a)]).toEqual([true, 0]);
  lanes.take(a);
  expect(lanes.hasRoom(a)).toBe(false);
});

it('an attempt that sent nothing shows nothing', () => {
  const lanes = lanesWith({});
  begin(lanes, a, 0)(5_000, undefined);
  begin(lanes, a, 0);
  expect([lanes.pace(a), lanes.hasRoom(a)]).toEqual([0, false]);
});

it.each([
  [0, 0],
  [249, 0],
  [250, 1],
  [2_499, 1],
  [2_500, 2],
  [60_000, 2],
])('an answer after %i ms makes pace %i', (ms, pace) => {
  expect(lanesWith({ [a]: ms }).pace(a)).toBe(pace);
});

it('a slot that is given up is free again', () => {
  const lanes = lanesWith({}, { perEndpoint: 1, inAll: 2 });
  lanes.take(a);
  expect([lanes.inUse, lanes.hasSlot(0), lanes.hasRoom(a)]).toEqual([1, false, false]);
  lanes.release(a);
  expect([lanes.inUse, lanes.hasSlot(0), lanes.hasRoom(a)]).toEqual([0, true, true]);
});

it('each pace has slots of its own', () => {
  const lanes = lanesWith({ [a]: 3_000 }, { perEndpoint: 3, inAll: 4 });
  lanes.take(a);
  expect([lanes.hasSlot(2), lanes.hasSlot(1), lanes.hasSlot(0)]).toEqual([false, true, true]);
});

it('one that hangs turns slow while it hangs, with all that it holds; its quick slots are free for others', () => {
  const lanes = lanesWith({ [a]: 10 }, { perEndpoint: 3, inAll: 4 });
  begin(lanes, a, 0);
  begin(lanes, a, 200);
  expect([lanes.hasSlot(0), lanes.nextAge(100)]).toEqual([false, 150]);
  expect([...lanes.age(249)]).toEqual([]);
  expect([...lanes.age(250)]).toEqual([a]);
  expect([lanes.pace(a), lanes.hasSlot(0), lanes.hasSlot(1), lanes.inUse]).toEqual([
    1,
    true,
    false,
    2,
  ]);
  expect([lanes.nextAge(250), lanes.nextAge(9_000)]).toEqual([200, 0]);
  expect([...lanes.age(450)]).toEqual([]);
  expect([...lanes.age(2_700)]).toEqual([a]);
  expect([lanes.pace(a), lanes.nextAge(2_700)]).toEqual([2, undefined]);
});

it('a quick answer makes no endpoint quick for as long as an older request hangs', () => {
  const lanes = lanesWith({ [a]: 10 });
  const hangs = begin(lanes, a, 0);
  lanes.age(250);
  begin(lanes, a, 300)(310, true);
  expect(lanes.pace(a)).toBe(1);
  hangs(400, true);
  begin(lanes, a, 400)(410, true);
  expect(lanes.pace(a)).toBe(0);
});

it('what one that turns quick holds of slow slots stays there: quick ones must have been free', () => {
  const lanes = lanesWith({ [a]: 300 }, { perEndpoint: 3, inAll: 4 });
  const [first] = [begin(lanes, a, 0), begin(lanes, a, 0)];
  first?.(10, true);
  expect([lanes.pace(a), lanes.hasSlot(0), lanes.hasSlot(1)]).toEqual([0, true, false]);
});

it('when more hang than there are slots each gets one request only, and there are never more than twice the slots', () => {
  const all = Array.from({ length: 20 }, (_, n) => derivedId('endpoint', String(n)));
  const lanes = lanesWith(Object.fromEntries(all.map((endpoint) => [endpoint, 10])), {
    perEndpoint: 4,
    inAll: 8,
  });
  const held = new Map<string, number>();
  for (let now = 0; now < 10_000; now += 250) {
    lanes.age(now);
    for (const endpoint of all) {
      while (lanes.pace(endpoint) === 0 && lanes.hasRoom(endpoint) && lanes.hasSlot(0)) {
        begin(lanes, endpoint, now);
        held.set(endpoint, (held.get(endpoint) ?? 0) + 1);
      }
    }
  }
  // two filled the quick slots again and again until all slots were in use; then each of the others had one
  expect([...held.values()]).toEqual([4, 4, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect([lanes.inUse, lanes.hasSlot(0), lanes.hasSlot(2)]).toEqual([16, false, false]);
});

it('keeps nothing of an endpoint that is there no more, once its requests have ended', () => {
  const lanes = lanesWith({ [a]: 10, [b]: 10 });
  const end = begin(lanes, a, 0);
  lanes.forget(a);
  lanes.forget(b);
  expect([lanes.size, lanes.inUse]).toEqual([1, 1]);
  end(5, true);
  expect([lanes.size, lanes.inUse]).toEqual([0, 0]);
});

it('keeps nothing of an endpoint of which it knows nothing', () => {
  const lanes = lanesWith({});
  begin(lanes, a, 0)(1, undefined);
  lanes.take(b);
  expect(lanes.size).toBe(1);
  lanes.release(b);
  expect(lanes.size).toBe(0);
});
