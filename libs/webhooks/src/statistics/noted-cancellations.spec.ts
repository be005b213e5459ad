import type { EndpointId, Position } from '@refledger/contracts';
import { endpointOf, leaseOf, planned, planOf, t } from '@refledger/delivery-store/conformance';
import type { DeliveryStore } from '@refledger/delivery-store';
import { notedCancellations } from './noted-cancellations.js';

const setUp = (store: Partial<DeliveryStore>) => {
  const noted: [EndpointId, number][] = [];
  const statistics = { canceled: (...about: [EndpointId, number]) => void noted.push(about) };
  // the cast holds: each test calls only the method that it gives
  return { noted, store: notedCancellations(store as DeliveryStore, statistics) };
};
const [a, b] = [endpointOf('a'), endpointOf('b')];
const how = { reason: 'held too long', now: t(1), limit: 9 };

it('notes what an endpoint’s change canceled', async () => {
  const { noted, store } = setUp({ cancel: () => Promise.resolve(3) });
  const cancellation = { decidedBelow: '5' as Position, reason: 'unsubscribed', now: t(1) };
  expect(await store.cancel(a, cancellation)).toBe(3);
  expect(noted).toEqual([[a, 3]]);
});

it('notes what was planned as canceled, once', async () => {
  const [first, known] = [planned('a', 1, 'canceled'), planned('a', 2, 'canceled')];
  const other = planned('b', 3, 'waiting');
  const ids = [first.id, other.id];
  const { noted, store } = setUp({ plan: () => Promise.resolve(ids) });
  expect(await store.plan(planOf([first, known, other]), leaseOf('one', 1))).toEqual(ids);
  expect(noted).toEqual([[a, 1]]);
});

it('notes what a sweep of an endpoint canceled, but not what a sweep of an account did', async () => {
  const { noted, store } = setUp({ sweep: () => Promise.resolve(7) });
  expect(await store.sweep({ endpointId: b }, how)).toBe(7);
  expect(await store.sweep({ accountId: planned('a', 1).accountId }, how)).toBe(7);
  expect(noted).toEqual([[b, 7]]);
});
