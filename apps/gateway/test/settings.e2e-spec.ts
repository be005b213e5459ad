import { blackBox, startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';

describeWithServers(['MongoDB', 'Kafka'], 'four services', (servers) =>
  blackBox.settings((options) => startDistributed(servers, options)),
);
