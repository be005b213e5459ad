import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import {
  longRecordsSuite,
  sharedService,
  startGatewayWithoutReadStore,
  type DistributedService,
} from '@refledger/testing';

/** Of events to append together: below the bytes that one append may have. */
const together = 500;

let service: DistributedService;

longRecordsSuite(
  sharedService(async () => (service = await startGatewayWithoutReadStore())),
  async (stream, events) => {
    const { url } = service.engines.find(({ engine }) => engine === 'EventStoreDB') ?? {};
    const log = await openEventStoreDbEventLog({ url: url ?? '' });
    for (let from = 0; from < events.length; from += together)
      await log.append(stream, events.slice(from, from + together), from);
    await log.close();
  },
);
