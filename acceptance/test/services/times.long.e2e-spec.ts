import { startDistributedOverLogBus } from '@refledger/testing';
import { blackBox } from '../../src/black-box/groups.js';
import { describeWithServers } from '@refledger/testing/servers';

describeWithServers(['MongoDB'], 'four services without Kafka', (servers) =>
  blackBox.times((options) => startDistributedOverLogBus(servers, options)),
);
