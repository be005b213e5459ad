import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventLogConformance } from '../conformance/index.js';
import { openSqliteEventLog, type SqliteEventLog } from './index.js';

eventLogConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-log-'));
  const file = join(directory, 'events.db');
  let owner: SqliteEventLog | undefined;
  return {
    open: async () => {
      if (owner !== undefined)
        return openSqliteEventLog({ file, mode: 'write', writer: owner.writerPort() });
      const log = (owner = await openSqliteEventLog({ file, mode: 'write' }));
      const close = log.close.bind(log);
      return Object.assign(log, {
        close: () => {
          owner = undefined;
          return close();
        },
      });
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
});
