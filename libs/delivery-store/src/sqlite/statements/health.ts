/** The statements that keep the health of endpoints. */
export const healthStatements = {
  series: 'SELECT series_from AS "from", since, failures FROM health WHERE endpoint_id = ?',
  keepSeries:
    'INSERT OR REPLACE INTO health (endpoint_id, series_from, since, failures) VALUES (?, ?, ?, ?)',
  endSeries: 'DELETE FROM health WHERE endpoint_id = ?',
  endpointsInSeries: 'SELECT endpoint_id AS id FROM health',
  succeededSince: `
    SELECT 1 AS found FROM deliveries INDEXED BY list_of_endpoint_finished
    WHERE endpoint_id = ? AND finished_at IS NOT NULL AND finished_at > ? AND finished_at <= ?
    AND status = 'succeeded' AND trigger <> 'test' LIMIT 1`,
} as const;
