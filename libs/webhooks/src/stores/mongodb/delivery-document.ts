import type { Position } from '@refledger/contracts';
import { startedAttempt, type Attempt, type Delivery, type DeliverySummary } from '../delivery.js';
import type { PlannedDelivery, Lease } from '../delivery-store.js';
import type { IndexDescription } from 'mongodb';

/**
 * A delivery as MongoDB stores it. Instants are RFC 3339 in UTC with milliseconds, which sort as
 * text. Fields without a current value are absent, so that the sparse index on `finished_at` holds
 * only finished deliveries. The partial indexes hold only waiting or sending ones.
 */
export interface DeliveryDocument {
  readonly _id: Delivery['id'];
  readonly account_id: Delivery['accountId'];
  readonly endpoint_id: Delivery['endpointId'];
  readonly event_id: Delivery['eventId'];
  readonly event_type: Delivery['eventType'];
  readonly object_id: Delivery['objectId'];
  readonly trigger: Delivery['trigger'];
  readonly position: Delivery['position'];
  /** A number, so that a filter compares it as a position. */
  readonly decided_at: bigint;
  readonly body: string;
  readonly status: Delivery['status'];
  /** The number of attempts begun, which is also the number of the last one. */
  readonly attempt: number;
  readonly failures: number;
  readonly attempts: readonly Attempt[];
  readonly created_at: string;
  /** Its index in its plan. Together with `created_at` it gives the order of planning. */
  readonly n: number;
  /** When it began to wait: when it was planned, or when its last attempt ended. */
  readonly waits_since: string;
  readonly due_at?: string;
  readonly holder?: string;
  readonly lease_until?: string;
  /** The id of the call that claimed it, by which that call finds its deliveries. */
  readonly claim?: string;
  readonly finished_at?: string;
  readonly reason?: string;
}

/**
 * A planned delivery as a document; one that is sending is leased, with its first attempt begun.
 */
export const toDocument = (
  planned: PlannedDelivery,
  n: number,
  { holder, leaseUntil, now }: Lease,
): DeliveryDocument => ({
  ...fixedFields(planned),
  status: planned.status,
  created_at: now,
  n,
  failures: 0,
  waits_since: now,
  ...(planned.status === 'sending'
    ? { attempt: 1, attempts: [startedAttempt(1, now)], holder, lease_until: leaseUntil }
    : { attempt: 0, attempts: [], due_at: now }),
});

/**
 * A delivery of another store as a document. Throws TypeError for a delivery that is sending, since
 * its holder is not part of it.
 */
export const toDocumentAsIs = (delivery: Delivery, n: number): DeliveryDocument => {
  const { id, status, attempts, attemptCount, failures, dueAt, createdAt, finishedAt, reason } =
    delivery;
  if (status === 'sending') throw new TypeError(`${id} is being sent`);
  return {
    ...fixedFields(delivery),
    status,
    attempt: attemptCount,
    failures,
    attempts,
    created_at: createdAt,
    n,
    waits_since: attempts.at(-1)?.finishedAt ?? createdAt,
    ...(dueAt !== null && { due_at: dueAt }),
    ...(finishedAt !== null && { finished_at: finishedAt }),
    ...(reason !== null && { reason }),
  };
};

/** The fields that never change. */
const fixedFields = (delivery: Omit<PlannedDelivery, 'status'>) => ({
  _id: delivery.id,
  account_id: delivery.accountId,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  object_id: delivery.objectId,
  trigger: delivery.trigger,
  position: delivery.position,
  decided_at: BigInt(delivery.decidedAt),
  body: delivery.body,
});

/** Decodes a document, on the assumption that this store wrote it. */
export const toDelivery = (document: DeliveryDocument): Delivery => ({
  ...toSummary(document),
  body: document.body,
  attempts: document.attempts,
});

/** Decodes a document that may lack its body and its attempts. */
export const toSummary = (
  document: Omit<DeliveryDocument, 'body' | 'attempts'>,
): DeliverySummary => ({
  id: document._id,
  accountId: document.account_id,
  endpointId: document.endpoint_id,
  eventId: document.event_id,
  eventType: document.event_type,
  objectId: document.object_id,
  trigger: document.trigger,
  position: document.position,
  decidedAt: document.decided_at.toString() as Position,
  status: document.status,
  attemptCount: document.attempt,
  failures: document.failures,
  dueAt: document.due_at ?? null,
  createdAt: document.created_at,
  finishedAt: document.finished_at ?? null,
  reason: document.reason ?? null,
});

/** The fields to unset once nobody holds a delivery. */
export const noLease = { holder: '', lease_until: '', claim: '' } as const;

/** The fields to set when open attempts end with an unknown outcome; use with `openAttempts`. */
export const endedUnknown = (now: string) =>
  ({ 'attempts.$[open].finishedAt': now, 'attempts.$[open].outcome': 'unknown' }) as const;
export const openAttempts = { arrayFilters: [{ 'open.outcome': null }] };

/** The indexes of planning, claiming and counting. */
export const workIndexes: readonly IndexDescription[] = [
  {
    name: 'due_by_endpoint',
    key: { endpoint_id: 1, due_at: 1, created_at: 1, n: 1 },
    partialFilterExpression: { status: 'waiting' },
  },
  { name: 'waiting', key: { due_at: 1 }, partialFilterExpression: { status: 'waiting' } },
  { name: 'sending', key: { lease_until: 1 }, partialFilterExpression: { status: 'sending' } },
  { name: 'planned', key: { endpoint_id: 1, created_at: 1, n: 1, _id: 1 } },
  { name: 'finished', key: { finished_at: 1 }, sparse: true },
  { name: 'counted', key: { status: 1, endpoint_id: 1 } },
];
