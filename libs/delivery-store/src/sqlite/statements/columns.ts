/** The columns of a `DeliverySummary`. */
export const summaryColumns = `
      id, account_id AS accountId, endpoint_id AS endpointId, event_id AS eventId,
      event_type AS eventType, object_id AS objectId, trigger, CAST(position AS TEXT) AS position,
      CAST(decided_at AS TEXT) AS decidedAt, status, attempt AS attemptCount, failures,
      due_at AS dueAt, created_at AS createdAt, finished_at AS finishedAt, reason,
      replay_id AS replayId`;

/** The columns of a `DeliveryRow`. */
export const columns = `seq, ${summaryColumns}, payload, attempts, body`;

/** The deliveries with their bodies. */
export const withBodies = 'deliveries LEFT JOIN bodies USING (seq)';
