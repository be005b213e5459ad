import type { Offset } from '@refledger/event-bus';
import type { Attempt, Delivery, UnfinishedDelivery } from '../delivery-store.js';

/** A row of `deliveries` joined with its body. */
export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly position: string;
  readonly status: string;
  readonly attempts: string;
  readonly due_at: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly reason: string | null;
  readonly body: Uint8Array;
}

export interface OffsetRow {
  readonly partition: string;
  readonly source: string;
  readonly reached: string;
  readonly mark: string | null;
}

/** Decodes a row, on the assumption that this store wrote it. */
export const toDelivery = (row: DeliveryRow): Delivery =>
  ({
    id: row.id,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    position: row.position,
    body: Buffer.from(row.body).toString('utf8'),
    status: row.status,
    attempts: toAttempts(row.attempts),
    dueAt: row.due_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    reason: row.reason,
  }) as Delivery;

export const toUnfinished = ({
  id,
  event_id,
  position,
}: Pick<DeliveryRow, 'id' | 'event_id' | 'position'>): UnfinishedDelivery =>
  ({ id, eventId: event_id, position }) as UnfinishedDelivery;

export const toOffset = ({ partition, source, reached, mark }: OffsetRow): Offset => ({
  partition,
  source,
  offset: reached,
  ...(mark !== null && { mark }),
});

export const toAttempts = (json: string): readonly Attempt[] =>
  JSON.parse(json) as readonly Attempt[];
export const fromAttempts = (attempts: readonly Attempt[]): string => JSON.stringify(attempts);

/** An attempt that has just begun. */
export const begun = (number: number, startedAt: string): Attempt => ({
  number,
  startedAt,
  finishedAt: null,
  outcome: null,
  status: null,
  error: null,
});
