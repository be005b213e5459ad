import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { sharedService, type StandaloneService, startStandalone } from '@refledger/testing';
import { longRecordsSuite } from '../../src/black-box/records/long-records.suite.js';

let service: StandaloneService;

longRecordsSuite(
  sharedService(async () => (service = await startStandalone())),
  async (work) => {
    await service.kill();
    const { dataDir } = service;
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
    await work(log);
    await log.close();
    await service.start();
  },
);
