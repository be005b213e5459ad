import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { eventBusConformance, type EventBusFixture } from '../conformance/index.js';
import { openLogBus, type LogBusOptions } from './log-bus.js';

const fixture =
  (options: Omit<LogBusOptions, 'log'> = {}) =>
  async (): Promise<EventBusFixture> => {
    const directory = mkdtempSync(join(tmpdir(), 'refledger-bus-'));
    const log = await openSqliteEventLog({ file: join(directory, 'events.db'), mode: 'write' });
    return {
      log,
      bus: openLogBus({ log, ...options }),
      async destroy() {
        await log.close();
        rmSync(directory, { recursive: true });
      },
    };
  };

eventBusConformance('log', fixture());
eventBusConformance('log, with a cache that evicts nearly everything', fixture({ cacheSize: 1 }));
