import { derivedId, type EndpointId } from '@refledger/contracts';
import fc from 'fast-check';
import { ManualClock } from '../test/manual-clock.js';
import { Lanes } from './lanes.js';
import { paces } from './paces.js';
import { SlotLine } from './slot-line.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => derivedId('endpoint', name)) as [
  EndpointId,
  EndpointId,
  EndpointId,
];

it('gives the slots of a pace to who has waited longest, one a turn', () => {
  const line = new SlotLine({ pace: () => 0, hasSlot: () => true });
  for (const endpoint of [a, b, a, c]) line.join(endpoint);
  line.leave(c);
  expect([line.next(), line.next(), line.next()]).toEqual([a, b, undefined]);
});

it('passes by a pace without slots, and stands in one line at a time', () => {
  const pace = new Map([
    [a, 0],
    [b, 1],
  ]);
  const line = new SlotLine({
    pace: (endpoint) => pace.get(endpoint) ?? 0,
    hasSlot: (of) => of !== 0,
  });
  line.join(a);
  line.join(b);
  expect([line.next(), line.next()]).toEqual([b, undefined]);
  pace.set(a, 1);
  line.join(a);
  expect([line.next(), line.next()]).toEqual([a, undefined]);
});

/** Endpoints that always have more to send, each of its requests lasting as long as its own list says, over and over. Answers how long each waited at most. */
const longestWaits = (
  endpoints: readonly (readonly number[])[],
  limits: { readonly perEndpoint: number; readonly inAll: number },
  untilMs: number,
): readonly number[] => {
  const clock = new ManualClock(0);
  const lanes = new Lanes(limits);
  const line = new SlotLine(lanes);
  const ids = endpoints.map((_, n) => derivedId('endpoint', String(n)));
  const sent = new Map<EndpointId, number>();
  const since = new Map<EndpointId, number>();
  const waits = new Map<EndpointId, number>();
  const place = (endpoint: EndpointId): void => {
    if (!lanes.hasRoom(endpoint)) return line.leave(endpoint);
    if (!since.has(endpoint)) since.set(endpoint, clock.now());
    line.join(endpoint);
  };
  const send = (endpoint: EndpointId): void => {
    lanes.take(endpoint);
    const end = lanes.begin(endpoint, clock.now());
    const lasts = endpoints[ids.indexOf(endpoint)] ?? [];
    const count = sent.get(endpoint) ?? 0;
    sent.set(endpoint, count + 1);
    const ms = lasts[count % lasts.length] ?? 0;
    clock.after(ms, () => {
      end(clock.now(), ms < 10_000);
      serve([endpoint]);
    });
    waits.set(
      endpoint,
      Math.max(waits.get(endpoint) ?? 0, clock.now() - (since.get(endpoint) ?? 0)),
    );
    since.delete(endpoint);
    place(endpoint);
  };
  const serve = (changed: Iterable<EndpointId>): void => {
    for (const endpoint of changed) place(endpoint);
    for (let next = line.next(); next !== undefined; next = line.next()) send(next);
  };
  serve(ids);
  while (clock.now() < untilMs) {
    clock.advance(10);
    serve(lanes.age(clock.now()));
  }
  return ids.map((id) =>
    Math.max(waits.get(id) ?? 0, clock.now() - (since.get(id) ?? clock.now())),
  );
};

it('an endpoint that is always quick waits for a slot no longer than the quick hold theirs, however many hang, flap or dawdle', () => {
  const quick = fc.array(fc.integer({ min: 1, max: 240 }), { minLength: 1, maxLength: 3 });
  const any = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 400, max: 9_000 }),
      fc.constant(10_000),
    ),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(quick, fc.array(any, { maxLength: 60 }), (one, others) => {
      const limits = { perEndpoint: 4, inAll: 16 };
      const [wait = Infinity] = longestWaits([one, ...others], limits, 6_000);
      const rounds = Math.ceil((others.length + 1) / (limits.inAll * paces[0].share));
      // time moves in steps of 10 ms here
      expect(wait).toBeLessThanOrEqual(rounds * (paces[0].underMs + 10));
    }),
    { numRuns: 30 },
  );
});
