export const outcomeStatements = {
  recordOutcomes: `
    UPDATE deliveries
    SET status = :status, attempt = attempt - (:attempt IS NULL), failures = :failures,
      attempts = CASE WHEN :attempt IS NULL THEN json_remove(attempts, '$[#-1]')
        ELSE json_replace(attempts, '$[#-1]', json(:attempt)) END,
      due_at = :dueAt, finished_at = :finishedAt, reason = :reason, holder = NULL,
      lease_until = NULL
    WHERE id = :deliveryId AND status = 'sending' AND holder = :holder AND attempt = :number
    RETURNING endpoint_id AS endpointId, replay_id AS replayId`,
  countReplayed: `UPDATE replays SET succeeded = succeeded + ?, failed = failed + ? WHERE id = ?`,
} as const;
