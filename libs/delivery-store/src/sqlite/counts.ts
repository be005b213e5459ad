import type { DeliveryStatus, EndpointId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import type { UnfinishedCounts } from '../delivery-store.js';

/**
 * Keeps the number of deliveries per endpoint and status up to date, so that they are never
 * counted. The changes of one call are written together.
 */
export const countKeeper = (db: Database) => {
  const add = db.prepare(
    'INSERT INTO counts (endpoint_id, status, n) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = n + ?3',
  );
  const drop = db.prepare('DELETE FROM counts WHERE endpoint_id = ? AND status = ? AND n = 0');
  const ofAll = db.prepare<StatusCount>('SELECT status, sum(n) AS n FROM counts GROUP BY status');
  const endpoints = db.prepare<{ id: EndpointId }>(
    'SELECT DISTINCT endpoint_id AS id FROM counts WHERE n > 0 ORDER BY endpoint_id',
  );
  // one row per status, however many deliveries the endpoint has
  const ofOne = db.prepare<StatusCount>('SELECT status, n FROM counts WHERE endpoint_id = ?');

  return {
    endpoints: (): readonly EndpointId[] => endpoints.all().map(({ id }) => id),

    read(endpoint?: EndpointId): Readonly<Record<DeliveryStatus, number>> {
      const counts: Record<DeliveryStatus, number> = {
        waiting: 0,
        held: 0,
        sending: 0,
        succeeded: 0,
        failed: 0,
        canceled: 0,
      };
      const rows = endpoint === undefined ? ofAll.all() : ofOne.all(endpoint);
      for (const { status, n } of rows) counts[status] = n;
      return counts;
    },

    /** How many deliveries of an endpoint have not ended, up to `limit`. */
    unfinished(endpoint: EndpointId, limit: number): UnfinishedCounts {
      const rows = ofOne.all(endpoint);
      const count = (...statuses: readonly DeliveryStatus[]): number =>
        rows.reduce((sum, { status, n }) => (statuses.includes(status) ? sum + n : sum), 0);
      return {
        unfinished: Math.min(limit, count('waiting', 'held', 'sending')),
        held: Math.min(limit, count('held')),
      };
    },

    write(tally: Tally): void {
      for (const [endpoint, changes] of tally.changes) {
        for (const [status, n] of changes) {
          if (n !== 0) add.run(endpoint, status, n);
          if (n < 0) drop.run(endpoint, status);
        }
      }
    },
  };
};

interface StatusCount {
  readonly status: DeliveryStatus;
  readonly n: number;
}

/** The changes of one call to the counts. */
export class Tally {
  readonly changes = new Map<EndpointId, Map<DeliveryStatus, number>>();

  /**
   * Moves `n` deliveries of an endpoint from one status to another. Undefined means that they do
   * not exist yet, or no longer do.
   */
  move(
    endpoint: EndpointId,
    from: DeliveryStatus | undefined,
    to: DeliveryStatus | undefined,
    n = 1,
  ): void {
    const changes = this.changes.get(endpoint) ?? new Map<DeliveryStatus, number>();
    this.changes.set(endpoint, changes);
    if (from !== undefined) changes.set(from, (changes.get(from) ?? 0) - n);
    if (to !== undefined) changes.set(to, (changes.get(to) ?? 0) + n);
  }
}
