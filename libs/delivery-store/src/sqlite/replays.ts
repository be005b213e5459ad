import type { EndpointId, PublicEventType, ReplayId } from '@refledger/contracts';
import { boundLimit, type Database, type Statement } from '@refledger/sqlite';
import type { DeliveryOfEvent, Replay, ReplayQuery, RequestedReplay } from '../replay-store.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { inserter } from './planning.js';
import { latestLeaseEnd } from '../lease.js';
import { replaying } from './statements/claims.js';

/** Whether all deliveries of a replay have ended. */
const isSettled = `
    NOT EXISTS (
      SELECT 1 FROM deliveries
      WHERE replay_id = replays.id AND status IN ('waiting', 'held', 'sending'))`;

const columns = `
  id, account_id AS accountId, endpoint_id AS endpointId, log_id AS logId,
  CAST(since AS TEXT) AS since, CAST(until AS TEXT) AS until, types, scope AS "only", status,
  CAST(at AS TEXT) AS at, CAST(decided_at AS TEXT) AS decidedAt, planned, succeeded, failed,
  settled AS isSettled, created_at AS createdAt, finished_at AS finishedAt`;

/** Some deliveries of replays to an endpoint that have not ended, however many others are held. */
const some = (condition: string): string => `
    SELECT seq FROM deliveries INDEXED BY deliveries_open_replays
    WHERE endpoint_id = ? AND trigger = 'replay' AND finished_at IS NULL AND ${condition}
    LIMIT ${boundLimit}`;

export const replayStatements = {
  begin: `
    INSERT INTO replays (
      id, account_id, endpoint_id, log_id, since, until, types, scope,
      status, at, decided_at, created_at)
    VALUES (
      :id, :accountId, :endpointId, :logId, :since, :until, :types, :only,
      'running', :since, :decidedAt, :createdAt)
    ON CONFLICT DO NOTHING`,
  running: `SELECT ${columns} FROM replays WHERE endpoint_id = ? AND status = 'running'`,
  allRunning: `
    SELECT ${columns} FROM replays INDEXED BY replays_running_by_age
    WHERE status = 'running' ORDER BY created_at`,
  advance: `
    UPDATE replays SET at = :reached, planned = planned + :planned, status = :status, finished_at = :finishedAt
    WHERE id = :id AND status = 'running' AND at = :at`,
  stop: `
    UPDATE replays SET status = 'stopped', finished_at = :now, settled = ${isSettled}
    WHERE id = :id AND status = 'running'`,
  anyRunning: `SELECT id FROM replays INDEXED BY replays_running_by_age WHERE status = 'running' LIMIT 1`,
  unsettled: `
    SELECT id FROM replays INDEXED BY replays_unsettled
    WHERE settled = 0 AND status <> 'running' ORDER BY checked_at LIMIT ${boundLimit}`,
  settle: `UPDATE replays SET checked_at = :now, settled = ${isSettled} WHERE id = :id`,
  remove: `
    DELETE FROM replays WHERE id IN (
      SELECT id FROM replays AS old INDEXED BY replays_settled WHERE settled = 1 AND finished_at < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE replay_id = old.id) LIMIT ${boundLimit})`,
  countReplaying: `
    SELECT count(*) AS n FROM (
      SELECT 1 FROM deliveries INDEXED BY deliveries_replaying
      WHERE endpoint_id = ? AND ${replaying} LIMIT ${boundLimit})`,
  countWaiting: `
    SELECT count(*) AS n FROM (
      SELECT 1 FROM deliveries INDEXED BY deliveries_of_replay
      WHERE replay_id = ? AND status = 'waiting' LIMIT ${boundLimit})`,
  waitAgain: `UPDATE deliveries SET due_at = NULL WHERE seq IN (${some("status = 'waiting' AND due_at > ?")})`,
  unhold: `UPDATE deliveries SET status = 'waiting' WHERE seq IN (${some("status = 'held'")})`,
  endpoints: `
    WITH RECURSIVE found (id) AS (
      SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_replaying WHERE ${replaying}
      UNION ALL
      SELECT (
        SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_replaying
        WHERE ${replaying} AND endpoint_id > found.id)
      FROM found WHERE id IS NOT NULL
    ) SELECT id FROM found WHERE id IS NOT NULL`,
  ofEvents: `
    SELECT DISTINCT event_id AS eventId, status, replay_id AS replayId FROM deliveries INDEXED BY list_by_event
    WHERE event_id IN (SELECT value FROM json_each(?)) AND endpoint_id = ? AND trigger <> 'test'`,
  lease: `
    INSERT INTO facts (name, value) VALUES ('replays_lease', json_array(:holder, :leaseUntil))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    WHERE value ->> 0 = :holder OR value ->> 1 <= :now OR value ->> 1 > :tooLate`,
  release: `DELETE FROM facts WHERE name = 'replays_lease' AND value ->> 0 = ?`,
} as const;

interface Rows {
  readonly running: ReplayRow;
  readonly allRunning: ReplayRow;
  readonly anyRunning: Pick<ReplayRow, 'id'>;
  readonly unsettled: Pick<ReplayRow, 'id'>;
  readonly countReplaying: { readonly n: number };
  readonly countWaiting: { readonly n: number };
  readonly endpoints: { readonly id: EndpointId };
  readonly ofEvents: DeliveryOfEvent;
}

type Name = keyof typeof replayStatements;

// the cast holds because the names stay the same
const prepare = (db: Database) =>
  Object.fromEntries(
    Object.entries(replayStatements).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as { readonly [Each in Name]: Statement<Each extends keyof Rows ? Rows[Each] : never> };

type OwnStatements = ReturnType<typeof prepare>;

export const replays = (db: Database, { statements, counted }: DeliveryTables) => {
  const own = prepare(db);
  const { replay, replays: list } = replayReader(db);
  return {
    replay,
    replays: list,
    ...turns(own, counted),

    beginReplay(requested) {
      const isNew = begin(own, requested);
      const found = replay(requested.id) ?? own.running.all(requested.endpointId).map(toReplay)[0];
      if (found === undefined) throw new Error(`replay ${requested.id} was not stored`);
      return { replay: found, isNew };
    },

    stopReplay: (id, now) => void own.stop.run({ id, now }),

    leaseReplays: (lease) =>
      own.lease.run({ ...lease, tooLate: latestLeaseEnd(lease) }).changes > 0,

    releaseReplays: (holder) => void own.release.run(holder),

    hasUnsettledReplays: () => isAnyUnsettled(own),

    runningReplays: () => own.allRunning.all().map(toReplay),

    planReplay: ({ replay: { id, at }, deliveries, reached, isLast }, now) =>
      counted((tally) => {
        const advanced = own.advance.run({
          id,
          at: BigInt(at),
          reached: BigInt(reached),
          planned: deliveries.length,
          status: isLast ? 'finished' : 'running',
          finishedAt: isLast ? now : null,
        });
        if (advanced.changes === 0) return false;
        const insert = inserter(statements, { holder: null, leaseUntil: null, now });
        for (const delivery of deliveries)
          if (insert(delivery)) tally.move(delivery.endpointId, undefined, delivery.status);
        if (isLast) own.settle.run({ id, now });
        return true;
      }),

    countReplays(now, limit) {
      // outcomes are counted when they are recorded
      for (const { id } of own.unsettled.all(limit)) own.settle.run({ id, now });
    },

    countWaiting: (replayId, limit) => own.countWaiting.get(replayId, limit)?.n ?? 0,

    countReplaying: (endpoint, limit) => own.countReplaying.get(endpoint, limit)?.n ?? 0,

    endpointsReplaying: () => own.endpoints.all().map(({ id }) => id),

    deliveriesOf: (endpoint, events) => own.ofEvents.all(JSON.stringify(events), endpoint),

    expireReplays: (before, limit) => Number(own.remove.run(before, limit).changes),
  } satisfies Partial<SynchronousStore>;
};

/**
 * The calls that let deliveries of replays that are held, or that wait for a retry, wait for their
 * turn again.
 */
const turns = (own: OwnStatements, counted: DeliveryTables['counted']) =>
  ({
    unholdSomeReplays: (endpoint, limit) =>
      counted((tally) => {
        const changes = Number(own.unhold.run(endpoint, limit).changes);
        tally.move(endpoint, 'held', 'waiting', changes);
        return changes;
      }),

    waitAgainSome: (endpoint, now, limit) =>
      Number(own.waitAgain.run(endpoint, now, limit).changes),
  }) satisfies Partial<SynchronousStore>;

const begin = (
  own: OwnStatements,
  { types, since, until, decidedAt, ...requested }: RequestedReplay,
): boolean =>
  own.begin.run({
    ...requested,
    types: types && JSON.stringify(types),
    since: BigInt(since),
    until: BigInt(until),
    decidedAt: BigInt(decidedAt),
  }).changes > 0;

const isAnyUnsettled = (own: OwnStatements): boolean =>
  own.anyRunning.get() !== undefined || own.unsettled.get(1) !== undefined;

/** The calls that read replays. */
const replayReader = (db: Database) => {
  const one = db.prepare<ReplayRow>(`SELECT ${columns} FROM replays WHERE id = ?`);
  const page = (descending: boolean): Statement<ReplayRow> => {
    const [beyond, within, order] = descending ? ['<', '>', 'DESC'] : ['>', '<', 'ASC'];
    return db.prepare<ReplayRow>(`
      SELECT ${columns} FROM replays INDEXED BY replays_of_endpoint
      WHERE endpoint_id = ? AND (created_at, id) ${beyond} (?, ?) AND created_at ${within} ?
      ORDER BY created_at ${order}, id ${order} LIMIT ${boundLimit}`);
  };
  const [ascending, descending] = [page(false), page(true)];
  return {
    replay: (id: ReplayId): Replay | undefined => one.all(id).map(toReplay)[0],
    replays: (query: ReplayQuery): readonly Replay[] => {
      // instants and ids sort between '' and '~'
      const { endpointId, createdAfter = '', createdBefore = '~', after, limit } = query;
      const rows = query.descending
        ? descending.all(endpointId, ...(after ?? [createdBefore, '']), createdAfter, limit)
        : ascending.all(endpointId, ...(after ?? [createdAfter, '~']), createdBefore, limit);
      return rows.map(toReplay);
    },
  };
};

/** A row of `replays`. Only this store writes such rows. */
interface ReplayRow extends Omit<Replay, 'types' | 'isSettled'> {
  readonly types: string | null;
  readonly isSettled: 0 | 1;
}

const toReplay = ({ types, isSettled, ...row }: ReplayRow): Replay => ({
  ...row,
  types: types === null ? null : (JSON.parse(types) as readonly PublicEventType[]),
  isSettled: isSettled === 1,
});
