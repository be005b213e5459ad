import { openEventLog } from '@refledger/event-log';
import {
  type DistributedService,
  sharedService,
  startGatewayWithoutReadStore,
} from '@refledger/testing';
import { longRecordsSuite } from '../../src/black-box/records/long-records.suite.js';

let service: DistributedService;

longRecordsSuite(
  sharedService(async () => (service = await startGatewayWithoutReadStore())),
  async (work) => {
    const { url } = service.engines.find(({ engine }) => engine === 'EventStoreDB') ?? {};
    const log = await openEventLog(url ?? '', { dataDir: '.data', mode: 'write' });
    await work(log);
    await log.close();
  },
);
