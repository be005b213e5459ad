import { startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { blackBox } from '../../src/black-box/groups.js';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) =>
  blackBox.failing((options) => startDistributed(servers, options)),
);
