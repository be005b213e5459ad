import type { AccountId } from '@refledger/contracts';
import type { Database } from '@refledger/sqlite';
import { lostKey, type Erasure, type KeyOwner, type KeyRow, type StoredKey } from '../key-store.js';

const columns = `owner, key, event_id AS eventId, position, erased_at AS erasedAt`;
const members = `'owner', owner, 'key', key, 'eventId', event_id, 'position', position, 'erasedAt', erased_at`;
const scanned = `${columns}, account_id AS accountId, put_at AS putAt,
  (SELECT json_group_array(claim ORDER BY claim) FROM claims WHERE claims.owner = owners.owner) AS claims`;
const joined = 'owners LEFT JOIN wrapped_keys ON seq = key_seq';

/** Reads the rows of owners over one connection. */
export const keyRows = (db: Database) => {
  const one = db.prepare<StoredRow>(`SELECT ${columns} FROM ${joined} WHERE owner = ?`);
  const many = db.prepare<{ readonly rows: string }>(
    `SELECT json_group_array(json_object(${members})) AS rows FROM ${joined}
     WHERE owner IN (SELECT value FROM json_each(?))`,
  );
  const rowsOf = (owners: readonly KeyOwner[]): readonly StoredRow[] =>
    owners.length === 1
      ? owners.flatMap((owner) => one.get(owner) ?? [])
      : // one row takes two thirds of the time of one for each owner
        (JSON.parse(many.get(JSON.stringify(owners))?.rows ?? '[]') as readonly StoredRow[]);
  const page = db.prepare<ScannedRow>(
    `SELECT ${scanned} FROM ${joined} WHERE owner > ? ORDER BY owner LIMIT ?`,
  );
  const claimedPage = db.prepare<ScannedRow>(
    `SELECT ${scanned} FROM ${joined}
     WHERE owner IN (SELECT owner FROM claims WHERE owner > ?) AND put_at < ? ORDER BY owner LIMIT ?`,
  );
  return {
    getMany: (owners: readonly KeyOwner[]): ReadonlyMap<KeyOwner, StoredKey> =>
      new Map(rowsOf(owners).map((row) => [row.owner, toStored(row)])),
    rows: (after: KeyOwner | undefined, limit: number): readonly KeyRow[] =>
      page.all(after ?? '', limit).map(toRow),
    claimedRows: (
      putBefore: string,
      after: KeyOwner | undefined,
      limit: number,
    ): readonly KeyRow[] => claimedPage.all(after ?? '', putBefore, limit).map(toRow),
  };
};

type StoredRow = { readonly owner: KeyOwner } &
  /** The key is null if the file was damaged: this must not look like an erasure. */
  ({ readonly key: string | null; readonly erasedAt: null } | ({ readonly key: null } & Erasure));

type ScannedRow = StoredRow & {
  readonly accountId: AccountId;
  readonly putAt: string | null;
  /** A JSON array. */
  readonly claims: string;
};

const toRow = (row: ScannedRow): KeyRow => ({
  owner: row.owner,
  accountId: row.accountId,
  claims: JSON.parse(row.claims) as readonly string[],
  putAt: row.putAt,
  ...toStored(row),
});

const toStored = (row: StoredRow): StoredKey =>
  row.erasedAt === null
    ? { kind: 'key', key: row.key ?? lostKey }
    : { kind: 'erased', eventId: row.eventId, position: row.position, erasedAt: row.erasedAt };
