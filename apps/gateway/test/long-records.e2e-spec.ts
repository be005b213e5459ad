import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import {
  longRecordsSuite,
  sharedService,
  startGatewayWithoutReadStore,
  type DistributedService,
} from '@refledger/testing';

let service: DistributedService;

longRecordsSuite(
  sharedService(async () => (service = await startGatewayWithoutReadStore())),
  async (work) => {
    const { url } = service.engines.find(({ engine }) => engine === 'EventStoreDB') ?? {};
    const log = await openEventStoreDbEventLog({ url: url ?? '' });
    await work(log);
    await log.close();
  },
);
