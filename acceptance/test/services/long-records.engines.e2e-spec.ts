import { openEventLog } from '@refledger/event-log';
import {
  type DistributedService,
  sharedService,
  startGatewayWithoutReadStore,
} from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { longRecordsSuite } from '../../src/black-box/records/long-records.suite.js';

describeWithServers(['MongoDB'], 'the gateway over an event log and a key store', (servers) => {
  let service: DistributedService;

  longRecordsSuite(
    sharedService(async () => (service = await startGatewayWithoutReadStore(servers))),
    async (work) => {
      const { url } = service.engines.find(({ engine }) => engine === 'EventStoreDB') ?? {};
      const log = await openEventLog(url ?? '', { dataDir: '.data', mode: 'write' });
      await work(log);
      await log.close();
    },
  );
});
