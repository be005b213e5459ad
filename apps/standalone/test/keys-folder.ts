import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams, type AccountId, type ApiKeysEvent } from '@refledger/contracts';
import { encodeEvent } from '@refledger/event-log';
import { openSqliteEventLog, type SqliteEventLog } from '@refledger/event-log/sqlite';
import { dataFolder } from '@refledger/platform';

export interface KeysOfAccount {
  readonly account: AccountId;
  readonly live: number;
  readonly revoked: number;
}

/** A data folder in which these accounts have so many keys, and had so many more that were revoked. */
export const folderWithKeys = async (all: readonly KeysOfAccount[]): Promise<string> => {
  const path = mkdtempSync(join(tmpdir(), 'refledger-keys-'));
  const log = await openSqliteEventLog({ file: dataFolder(path).events, mode: 'write' });
  for (const keys of all) await appendKeys(log, keys);
  await log.close();
  return path;
};

const appendKeys = async (log: SqliteEventLog, { account, live, revoked }: KeysOfAccount): Promise<void> => {
  const ids = Array.from({ length: live + revoked }, () => newId('key'));
  const created = ids.map((key_id): ApiKeysEvent => ({ type: 'key.created', data: { key_id, name: 'k', scope: 'admin', hash: randomBytes(32).toString('hex'), last4: 'abcd' } }));
  const ended = ids.slice(live).map((key_id): ApiKeysEvent => ({ type: 'key.revoked', data: { key_id } }));
  const metadata = { account_id: account, actor: 'test', request_id: 'r', recorded_at: '2026-01-01T00:00:00.000Z' };
  const events = [...created, ...ended].map((event) => encodeEvent(event, randomUUID(), metadata));
  let expected: number | 'no stream' = 'no stream';
  for (let at = 0; at < events.length; at += 1_000) {
    ({ revision: expected } = await log.append(streams.keys(account), events.slice(at, at + 1_000), expected));
  }
};
