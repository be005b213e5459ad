import type { EndpointId } from '@refledger/contracts';
import { boundLimit, type Database } from '@refledger/sqlite';
import { sumOf, type EndpointStatistics } from '../statistics/endpoint-statistics.js';
import {
  oldestOf,
  type StatisticsRange,
  type StatisticsPoint,
  type WaitingDelivery,
} from '../statistics-store.js';
import type { SynchronousStore } from './delivery-tables.js';

export const statisticsStatements = {
  read: 'SELECT counts FROM statistics WHERE endpoint_id = ? AND period = ? AND starts_at = ?',
  put: `
    INSERT INTO statistics (endpoint_id, period, starts_at, counts) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET counts = excluded.counts`,
  remove: `
    DELETE FROM statistics WHERE (endpoint_id, period, starts_at) IN (
      SELECT endpoint_id, period, starts_at FROM statistics INDEXED BY statistics_by_age
      WHERE period = ? AND starts_at < ? LIMIT ${boundLimit})`,
  range: `
    SELECT starts_at AS startsAt, counts FROM statistics
    WHERE endpoint_id = ? AND period = ? AND starts_at >= ? AND starts_at <= ? ORDER BY starts_at`,
  oldest: `
    SELECT id, status, created_at AS createdAt FROM deliveries INDEXED BY list_of_endpoint_by_status
    WHERE endpoint_id = ? AND status = ? AND trigger <> 'test' ORDER BY created_at LIMIT 1`,
} as const;

/** The calls that write statistics. */
export const statistics = (db: Database) => {
  const read = db.prepare<Pick<StatisticsRow, 'counts'>>(statisticsStatements.read);
  const put = db.prepare(statisticsStatements.put);
  const remove = db.prepare(statisticsStatements.remove);
  return {
    addStatistics(points) {
      for (const { endpointId, period, startsAt, statistics: added } of points) {
        const stored = read.all(endpointId, period, startsAt).map(toStatistics);
        put.run(endpointId, period, startsAt, JSON.stringify(sumOf([...stored, added])));
      }
    },
    removeStatistics: (period, before, limit) => Number(remove.run(period, before, limit).changes),
  } satisfies Partial<SynchronousStore>;
};

/** The calls that read statistics. */
export const statisticsReader = (db: Database) => {
  const range = db.prepare<StatisticsRow>(statisticsStatements.range);
  const oldest = db.prepare<WaitingDelivery>(statisticsStatements.oldest);
  return {
    statistics: ({ endpointId, period, from, to }: StatisticsRange): readonly StatisticsPoint[] =>
      range.all(endpointId, period, from, to).map((row) => ({
        endpointId,
        period,
        startsAt: row.startsAt,
        statistics: toStatistics(row),
      })),

    oldestWaiting: (endpoint: EndpointId): WaitingDelivery | undefined =>
      oldestOf([...oldest.all(endpoint, 'waiting'), ...oldest.all(endpoint, 'held')]),
  } satisfies Partial<SynchronousStore>;
};

interface StatisticsRow {
  readonly startsAt: string;
  readonly counts: string;
}

// decoding boundary: only this store writes such rows
const toStatistics = ({ counts }: Pick<StatisticsRow, 'counts'>): EndpointStatistics =>
  JSON.parse(counts) as EndpointStatistics;
