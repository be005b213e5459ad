import { plainPersonalData } from '@refledger/domain/testing';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { startEventStoreDbDouble } from '@refledger/testing/eventstoredb';
import { eventBusConformance } from '../conformance/index.js';
import { openLogBus } from './log-bus.js';

// Each test gets an empty log, because the suite reads the bus from its start.
eventBusConformance('log in EventStoreDB', async () => {
  const server = await startEventStoreDbDouble();
  const log = await openEventStoreDbEventLog({ url: server.url });
  return {
    log,
    bus: openLogBus({ log, personalData: plainPersonalData }),
    async destroy() {
      await log.close();
      await server.stop();
    },
  };
});
