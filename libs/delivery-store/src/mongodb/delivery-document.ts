import type { Attempt, Position, ReplayId } from '@refledger/contracts';
import { startedAttempt, type Delivery, type DeliverySummary } from '../delivery.js';
import { waitsItsTurn, type PlannedDelivery } from '../planner-store.js';
import type { Lease } from '../lease.js';
import type { RedeliveryKey } from '../redelivery-key.js';
import type { IndexDescription } from 'mongodb';

/**
 * A delivery as MongoDB stores it. Instants are RFC 3339 in UTC with milliseconds, which sort as
 * text. Fields without a current value are absent, so that the sparse index on `finished_at` holds
 * only finished deliveries. The partial indexes hold only deliveries of one status.
 */
export interface DeliveryDocument {
  readonly _id: Delivery['id'];
  readonly account_id: Delivery['accountId'];
  readonly endpoint_id: Delivery['endpointId'];
  readonly event_id: Delivery['eventId'];
  readonly event_type: Delivery['eventType'];
  readonly object_id: Delivery['objectId'];
  readonly trigger: Delivery['trigger'];
  /** Positions are numbers, so that filters and indexes order them as such. */
  readonly position: bigint;
  readonly decided_at: bigint;
  readonly payload: Delivery['payload'];
  /** Absent until the first attempt if it was stored without a body, as for a held delivery. */
  readonly body?: string;
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
  /** A test that waits has none, nor does a delivery of a replay that waits for its turn. */
  readonly due_at?: string;
  readonly holder?: string;
  readonly lease_until?: string;
  /** The id of the call that claimed it, by which that call finds its deliveries. */
  readonly claim?: string;
  readonly finished_at?: string;
  readonly reason?: string;
  readonly replay_id?: ReplayId;
  /** The keys of requests that were answered with it. Unique over all deliveries. */
  readonly keys?: readonly RedeliveryKey[];
  /** When the sweep canceled it. */
  readonly swept_at?: string;
}

/**
 * A planned delivery as a document; one that is sending is leased, with its first attempt begun.
 */
export const toDocument = (
  planned: PlannedDelivery,
  n: number,
  { holder, leaseUntil, now }: Partial<Lease> & Pick<Lease, 'now'>,
): DeliveryDocument => ({
  ...fixedFields(planned),
  status: planned.status,
  created_at: now,
  n,
  failures: 0,
  waits_since: now,
  ...(planned.status === 'sending'
    ? {
        attempt: 1,
        attempts: [startedAttempt(1, now)],
        ...(holder !== undefined && { holder }),
        ...(leaseUntil !== undefined && { lease_until: leaseUntil }),
      }
    : { attempt: 0, attempts: [] }),
  ...(planned.status === 'waiting' && !waitsItsTurn(planned) && { due_at: now }),
  ...(planned.status === 'canceled' && { finished_at: now }),
  ...(planned.reason !== null && { reason: planned.reason }),
});

/**
 * A delivery of another store as a document. Throws TypeError for a delivery that is sending, since
 * its holder is not part of it.
 */
export const toDocumentAsIs = (
  delivery: Delivery,
  n: number,
  keys: readonly RedeliveryKey[] = [],
): DeliveryDocument => {
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
    ...(keys.length > 0 && { keys }),
    ...(reason !== null && { reason }),
  };
};

/** The fields that never change. */
const fixedFields = (delivery: Omit<PlannedDelivery, 'status' | 'reason'>) => ({
  _id: delivery.id,
  account_id: delivery.accountId,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  object_id: delivery.objectId,
  trigger: delivery.trigger,
  position: BigInt(delivery.position),
  decided_at: BigInt(delivery.decidedAt),
  payload: delivery.payload,
  ...(delivery.body !== null && { body: delivery.body }),
  ...(typeof delivery.replayId === 'string' && { replay_id: delivery.replayId }),
});

/** Decodes a document, on the assumption that this store wrote it. */
export const toDelivery = (document: DeliveryDocument): Delivery => ({
  ...toSummary(document),
  payload: document.payload,
  body: document.body ?? null,
  attempts: document.attempts,
});

/** Decodes a document that may lack its body and its attempts. */
export const toSummary = (document: Omit<DeliveryDocument, 'attempts'>): DeliverySummary => ({
  id: document._id,
  accountId: document.account_id,
  endpointId: document.endpoint_id,
  eventId: document.event_id,
  eventType: document.event_type,
  objectId: document.object_id,
  trigger: document.trigger,
  replayId: document.replay_id ?? null,
  position: document.position.toString() as Position,
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
  {
    name: 'tests',
    key: { created_at: 1 },
    partialFilterExpression: { status: 'waiting', trigger: 'test' },
  },
  {
    name: 'replaying',
    key: { endpoint_id: 1, due_at: 1, position: 1, _id: 1 },
    partialFilterExpression: { status: 'waiting', trigger: 'replay' },
  },
  {
    name: 'replays_by_status',
    key: { endpoint_id: 1, status: 1 },
    partialFilterExpression: { trigger: 'replay' },
  },
  {
    name: 'of_replay',
    key: { replay_id: 1, status: 1 },
    partialFilterExpression: { trigger: 'replay' },
  },
  {
    name: 'held_by_endpoint',
    key: { endpoint_id: 1, position: 1, _id: 1 },
    partialFilterExpression: { status: 'held' },
  },
  {
    name: 'held_by_account',
    key: { account_id: 1, position: 1, _id: 1 },
    partialFilterExpression: { status: 'held' },
  },
  { name: 'swept', key: { swept_at: 1 }, sparse: true },
  {
    name: 'recovering',
    key: { event_id: 1, endpoint_id: 1, created_at: 1 },
    partialFilterExpression: { status: 'succeeded', trigger: { $gt: 'event' } },
  },
  { name: 'redelivery_keys', key: { 'keys.id': 1 }, unique: true, sparse: true },
  { name: 'sending', key: { lease_until: 1 }, partialFilterExpression: { status: 'sending' } },
  { name: 'planned', key: { endpoint_id: 1, created_at: 1, n: 1, _id: 1 } },
  { name: 'finished', key: { finished_at: 1 }, sparse: true },
  { name: 'counted', key: { status: 1, endpoint_id: 1 } },
];
