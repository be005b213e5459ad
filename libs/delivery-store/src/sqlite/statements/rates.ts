export const rateStatements = {
  rate: 'SELECT full_at AS fullAt FROM rates WHERE endpoint_id = ?',
  putRate: `
    INSERT INTO rates (endpoint_id, full_at) VALUES (?, ?)
    ON CONFLICT (endpoint_id) DO UPDATE SET full_at = excluded.full_at`,
  removeRates: 'DELETE FROM rates WHERE full_at < ?',
} as const;
