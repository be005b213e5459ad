import {
  derivedId,
  toInstant,
  type Attempt,
  type DeliveryId,
  type DeliveryStatus,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import { startedAttempt, type Delivery } from '../delivery.js';
import type { OpenDeliveryReader } from '../delivery-store.js';
import type { AttemptResult, Cancellation } from '../scheduler-store.js';
import type { DeliveryStore } from '../delivery-store.js';
import type { Lease } from '../lease.js';
import type { PlannedDelivery } from '../planner-store.js';

/**
 * One set of deliveries for the suite. Each `open` returns a handle to the same deliveries, as
 * another process would get it.
 */
export interface DeliveryStoreFixture {
  open(): Promise<DeliveryStore>;
  /** Opens the same deliveries to read them. */
  read(): Promise<OpenDeliveryReader>;
  destroy(): Promise<void>;
}

/** The state of the running test, which may open `store` again. */
export interface StoreUnderTest {
  readonly fixture: DeliveryStoreFixture;
  store: DeliveryStore;
  statusOf(id: DeliveryId): Promise<DeliveryStatus | undefined>;
}

export const t = (seconds: number): string => toInstant(Date.UTC(2026, 0, 1) + seconds * 1_000);
export const endpointOf = (name: string): EndpointId => derivedId('endpoint', name);
export const offsetAt = (offset: number, source = 'log one'): Offset => ({
  source,
  partition: 'log',
  offset: String(offset),
  mark: `event ${offset}`,
});
export const leaseOf = (holder: string, seconds: number, lease = 30): Lease => ({
  holder,
  now: t(seconds),
  leaseUntil: t(seconds + lease),
});

/** A dispatcher that is sending nothing, and the second in which it recovers what is lost. */
export const recoveryBy = (holder: string, seconds: number) => ({
  holder,
  sending: [],
  now: t(seconds),
});

export const planned = (
  endpoint: string,
  n: number,
  status: PlannedDelivery['status'] = 'waiting',
  body = `{"n":${n}}`,
): PlannedDelivery & { readonly body: string } => ({
  id: derivedId('delivery', endpoint, String(n)),
  accountId: derivedId('account', 'one'),
  endpointId: endpointOf(endpoint),
  eventId: derivedId('event', String(n)),
  eventType: 'conversion.created',
  objectId: derivedId('conversion', String(n)),
  trigger: 'event',
  position: String(n) as Position,
  decidedAt: String(n) as Position,
  payload: 'full',
  body,
  status,
  reason: null,
});

/** A delivery that is planned as held: it has no body yet. */
export const plannedHeld = (endpoint: string, n: number): PlannedDelivery => ({
  ...planned(endpoint, n, 'held'),
  body: null,
});
export const planOf = (deliveries: readonly PlannedDelivery[], offset = 1) => ({
  deliveries,
  offset: offsetAt(offset),
  floor: String(offset) as Position,
});

/** An endpoint that was unsubscribed at a position, and the second in which that is noticed. */
export const unsubscribedAt = (position: number, seconds: number): Cancellation => ({
  decidedBelow: String(position) as Position,
  reason: 'unsubscribed',
  now: t(seconds),
});

export const ended = (
  number: number,
  seconds: number,
  outcome: Attempt['outcome'],
  status: number | null = null,
): Attempt => ({
  ...startedAttempt(number, t(seconds - 1)),
  finishedAt: t(seconds),
  outcome,
  status,
  address: '203.0.113.7',
});

/** The result of an attempt that ended, after `failures` failed attempts. */
export const resultOf = (
  { id }: Pick<Delivery, 'id'>,
  attempt: Attempt,
  next: AttemptResult['next'],
  failures = 0,
): AttemptResult => ({
  deliveryId: id,
  number: attempt.number,
  endedAt: attempt.finishedAt ?? attempt.startedAt,
  attempt,
  failures,
  next,
});

/** The result of an attempt that ended before anything was sent. */
export const unsent = (
  { id }: Pick<Delivery, 'id'>,
  seconds: number,
  number: number,
  next: AttemptResult['next'],
): AttemptResult => ({
  deliveryId: id,
  number,
  endedAt: t(seconds),
  attempt: null,
  failures: 0,
  next,
});

export const succeeded = (delivery: Pick<Delivery, 'id'>, seconds = 2, number = 1): AttemptResult =>
  resultOf(delivery, ended(number, seconds, 'succeeded', 200), { status: 'succeeded' });

export const retried = (
  delivery: Pick<Delivery, 'id'>,
  dueIn: number,
  seconds = 2,
  number = 1,
): AttemptResult =>
  resultOf(
    delivery,
    ended(number, seconds, 'bad_status', 500),
    { status: 'waiting', dueAt: t(dueIn) },
    number,
  );
