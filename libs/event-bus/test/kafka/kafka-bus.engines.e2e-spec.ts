import { randomUUID } from 'node:crypto';
import { describeOnServer } from '@refledger/testing/servers';
import { eventBusConformance, type EventBusFixture } from '../../src/conformance/index.js';
import { openKafkaBus } from '../../src/kafka/kafka-bus.js';
import { startFeed } from './feed.js';
import { quiet } from './quiet.js';
import { openSampleLog } from './sample-log.js';

describeOnServer('Kafka', 'on a broker', (server) => {
  const fixture = (partitions: number) => async (): Promise<EventBusFixture> => {
    const { log, remove } = await openSampleLog();
    const brokers = server().url.split(',');
    const prefix = `test-${randomUUID()}`;
    const feed = await startFeed(log, brokers, prefix, partitions);
    return {
      log,
      bus: openKafkaBus({ brokers, prefix, group: 'suite', logger: quiet, log }),
      async destroy() {
        await feed.stop();
        await remove();
      },
    };
  };

  eventBusConformance('kafka, one partition per topic', fixture(1));
  eventBusConformance('kafka, several partitions per topic', fixture(4));
});
