import { columns, withBodies } from './columns.js';

/** The statements that read deliveries, and those that an audit reads with. */
export const readingStatements = {
  get: `SELECT ${columns} FROM ${withBodies} WHERE id = ?`,
  list: `
    SELECT ${columns} FROM ${withBodies}
    WHERE endpoint_id = :endpointId
    AND seq < CASE WHEN :after IS NULL THEN 9223372036854775807
      ELSE (SELECT seq FROM deliveries WHERE id = :after) END
    ORDER BY seq DESC LIMIT :limit`,
  statuses: 'SELECT id, status FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  heldThrough: 'SELECT endpoint_id AS id, CAST(through AS TEXT) AS through FROM removed',
} as const;
