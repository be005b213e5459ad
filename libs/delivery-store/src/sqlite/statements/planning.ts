/** The statements that insert deliveries. */
export const planningStatements = {
  insert: `
    INSERT INTO deliveries (
      id, account_id, endpoint_id, event_id, event_type, object_id, trigger, position, decided_at,
      payload, status, attempt, attempts, holder, lease_until, due_at, finished_at, reason,
      replay_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING`,
  insertBody: 'INSERT INTO bodies (seq, body) VALUES (?, ?)',
} as const;
