import type {
  Attempt,
  Delivery,
  Lease,
  PlannedDelivery,
  UnfinishedDelivery,
} from '../delivery-store.js';

/**
 * A delivery as MongoDB stores it. Instants are RFC 3339 in UTC with milliseconds, which sort as
 * text. Fields without a current value are absent, so that the sparse index on `finished_at` holds
 * only finished deliveries. The partial indexes hold only waiting or sending ones.
 */
export interface DeliveryDocument {
  readonly _id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly position: string;
  readonly body: string;
  readonly status: Delivery['status'];
  /** The number of attempts begun, which is also the number of the last one. */
  readonly attempt: number;
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
  { id, accountId, endpointId, eventId, eventType, position, body, status }: PlannedDelivery,
  n: number,
  { holder, leaseUntil, now }: Lease,
): DeliveryDocument => ({
  _id: id,
  account_id: accountId,
  endpoint_id: endpointId,
  event_id: eventId,
  event_type: eventType,
  position,
  body,
  status,
  created_at: now,
  n,
  waits_since: now,
  ...(status === 'sending'
    ? { attempt: 1, attempts: [begun(1, now)], holder, lease_until: leaseUntil }
    : { attempt: 0, attempts: [], due_at: now }),
});

/**
 * A delivery of another store as a document. Throws TypeError for a delivery that is sending, since
 * its holder is not part of it.
 */
export const toDocumentAsIs = (
  {
    id,
    accountId,
    endpointId,
    eventId,
    eventType,
    position,
    body,
    status,
    attempts,
    dueAt,
    createdAt,
    finishedAt,
    reason,
  }: Delivery,
  n: number,
): DeliveryDocument => {
  if (status === 'sending') throw new TypeError(`${id} is under way`);
  return {
    _id: id,
    account_id: accountId,
    endpoint_id: endpointId,
    event_id: eventId,
    event_type: eventType,
    position,
    body,
    status,
    attempt: attempts.length,
    attempts,
    created_at: createdAt,
    n,
    waits_since: attempts.at(-1)?.finishedAt ?? createdAt,
    ...(dueAt !== null && { due_at: dueAt }),
    ...(finishedAt !== null && { finished_at: finishedAt }),
    ...(reason !== null && { reason }),
  };
};

/** Decodes a document, on the assumption that this store wrote it. */
export const toDelivery = (document: DeliveryDocument): Delivery =>
  ({
    id: document._id,
    accountId: document.account_id,
    endpointId: document.endpoint_id,
    eventId: document.event_id,
    eventType: document.event_type,
    position: document.position,
    body: document.body,
    status: document.status,
    attempts: document.attempts,
    dueAt: document.due_at ?? null,
    createdAt: document.created_at,
    finishedAt: document.finished_at ?? null,
    reason: document.reason ?? null,
  }) as Delivery;

export const toUnfinished = ({
  _id,
  event_id,
  position,
}: Pick<DeliveryDocument, '_id' | 'event_id' | 'position'>): UnfinishedDelivery =>
  ({ id: _id, eventId: event_id, position }) as UnfinishedDelivery;

/** The fields to unset once nobody holds a delivery. */
export const noLease = { holder: '', lease_until: '', claim: '' } as const;

/** An attempt that has just begun. */
export const begun = (number: number, startedAt: string): Attempt => ({
  number,
  startedAt,
  finishedAt: null,
  outcome: null,
  status: null,
  error: null,
});
