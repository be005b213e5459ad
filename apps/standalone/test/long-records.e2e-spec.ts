import { join } from 'node:path';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import {
  longRecordsSuite,
  sharedService,
  startStandalone,
  type StandaloneService,
} from '@refledger/testing';

/** Of events to append together: below the bytes that one append may have. */
const together = 500;

let service: StandaloneService;

longRecordsSuite(
  sharedService(async () => (service = await startStandalone())),
  async (stream, events) => {
    await service.kill();
    const log = await openSqliteEventLog({
      file: join(service.dataDir, 'events.db'),
      mode: 'write',
    });
    for (let from = 0; from < events.length; from += together)
      await log.append(stream, events.slice(from, from + together), from);
    await log.close();
    await service.start();
  },
);
