export const requestStatements = {
  makeDue: `
    UPDATE deliveries SET due_at = :now
    WHERE id = :delivery AND status = 'waiting' AND trigger <> 'test'
    AND (due_at IS NULL OR due_at > :now) RETURNING endpoint_id AS endpointId`,
  unfinishedOne: 'SELECT 1 AS found FROM deliveries WHERE id = ? AND finished_at IS NULL',
  insertKey: `
    INSERT INTO redelivery_keys (id, original, answered) VALUES (:id, :original, :answered)
    ON CONFLICT (id) DO NOTHING`,
  answeredKey: 'SELECT id, original, answered FROM redelivery_keys WHERE id = ?',
  answeredKeys: `
    SELECT id, original, answered FROM redelivery_keys
    WHERE answered IN (SELECT value FROM json_each(?))`,
  noteRequest: 'INSERT INTO requests (endpoint_id) VALUES (?) ON CONFLICT DO NOTHING',
  requested: 'SELECT endpoint_id AS id FROM requests',
  clearRequest: 'DELETE FROM requests WHERE endpoint_id = ?',
  recovery: `
    SELECT id FROM deliveries INDEXED BY deliveries_recovering
    WHERE event_id = ? AND endpoint_id = ? AND created_at > ? AND status = 'succeeded'
    AND trigger > 'event' ORDER BY created_at LIMIT 1`,
} as const;
