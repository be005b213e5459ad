import { join } from 'node:path';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import {
  longRecordsSuite,
  sharedService,
  startStandalone,
  type StandaloneService,
} from '@refledger/testing';

let service: StandaloneService;

longRecordsSuite(
  sharedService(async () => (service = await startStandalone())),
  async (work) => {
    await service.kill();
    const file = join(service.dataDir, 'events.db');
    const log = await openSqliteEventLog({ file, mode: 'write' });
    await work(log);
    await log.close();
    await service.start();
  },
);
