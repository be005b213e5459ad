import type {
  Attempt,
  AttemptRecord,
  DeliveryId,
  DeliveryRecord,
  DeliveryWithAttempts,
  ResponseExcerpt,
} from '@refledger/contracts';
import type { Delivery, DeliverySummary } from '@refledger/delivery-store';
import type { OpenTexts } from './shown-delivery-texts.js';

/** A delivery as lists show it. `recoveredBy`: a later delivery of its event that succeeded. */
export const deliveryRecord = (
  delivery: DeliverySummary,
  recoveredBy: DeliveryId | undefined,
): DeliveryRecord => ({
  id: delivery.id,
  object: 'delivery',
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  type: delivery.eventType,
  object_id: delivery.objectId,
  position: delivery.position,
  status: delivery.status,
  trigger: delivery.trigger,
  replay_id: delivery.replayId,
  attempt_count: delivery.attemptCount,
  next_attempt_at: delivery.dueAt,
  reason: delivery.reason,
  created_at: delivery.createdAt,
  finished_at: delivery.finishedAt,
  recovered_by: recoveredBy ?? null,
});

/** A delivery on its own, with its texts opened. */
export const deliveryWithAttempts = (
  delivery: Delivery,
  { body, responses }: OpenTexts,
  recoveredBy: DeliveryId | undefined,
): DeliveryWithAttempts => ({
  ...deliveryRecord(delivery, recoveredBy),
  body,
  attempts: delivery.attempts.map((attempt, n) => attemptRecord(attempt, responses[n] ?? null)),
});

const attemptRecord = (attempt: Attempt, response: ResponseExcerpt | null): AttemptRecord => ({
  number: attempt.number,
  started_at: attempt.startedAt,
  duration_ms: durationOf(attempt),
  outcome: attempt.outcome,
  status_code: attempt.status,
  error: attempt.error,
  address: attempt.address,
  response_headers: response && Object.fromEntries(response.headers),
  response_body: response && response.body,
  response_truncated: response?.isTruncated ?? false,
  retry_after: attempt.retryAfter,
});

/** An attempt of unknown outcome ended at an unknown time. */
const durationOf = ({ startedAt, finishedAt, outcome }: Attempt): number | null =>
  finishedAt === null || outcome === 'unknown'
    ? null
    : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
