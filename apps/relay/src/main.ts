import { relayName } from '@refledger/event-bus';
import { openKafkaPublication } from '@refledger/event-bus/kafka';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { ConfigError, runService } from '@refledger/platform';
import { measureRelay, relayHealth } from './relay-figures.js';
import { startRelay } from './start-relay.js';

await runService(
  relayName,
  async ({ config: { engines, kafka }, logger, metrics, health, open }) => {
    if (engines.eventBus.kind !== 'kafka')
      throw new ConfigError([
        'EVENT_BUS_URL is log: and so the event log is the bus itself: there is nothing to relay, leave this service out',
      ]);
    const { brokers } = engines.eventBus;
    const log = await open(() => openEventStoreDbEventLog({ url: engines.eventLogUrl }));
    const publication = openKafkaPublication({ brokers, logger, ...kafka });
    const relay = await startRelay({
      log,
      publication,
      logger,
      onStatus: (status) => health.report(relayHealth(status)),
    });
    return {
      measure: () => measureRelay(metrics, relay.status()),
      close: async () => {
        await relay.close();
        await publication.close();
        await log.close();
      },
    };
  },
);
