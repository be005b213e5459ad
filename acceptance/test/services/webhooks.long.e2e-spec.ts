import { startDistributed } from '@refledger/testing';
import { blackBox } from '../../src/black-box/groups.js';
import { describeWithServers } from '@refledger/testing/servers';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) =>
  blackBox.webhooks((options) => startDistributed(servers, options)),
);
