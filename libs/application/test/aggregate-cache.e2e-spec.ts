import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLogUnderTest } from '@refledger/event-log/conformance';
import { openSqliteEventLog, type SqliteEventLog } from '@refledger/event-log/sqlite';
import { aggregateCacheSuite } from './aggregate-cache.suite.js';

/** A log in a new directory. Additional handles append through the first one's thread. */
const startSqlite = async (): Promise<EventLogUnderTest> => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-cache-'));
  const file = join(directory, 'events.db');
  let owner: SqliteEventLog | undefined;
  return {
    open: async () =>
      owner === undefined
        ? (owner = await openSqliteEventLog({ file, mode: 'write' }))
        : openSqliteEventLog({ file, mode: 'write', writer: owner.writerPort() }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
};

describe('the aggregate cache on SQLite', () => aggregateCacheSuite(startSqlite));
