import { blackBox, startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';

describeWithServers(['MongoDB', 'Kafka'], 'four services', (servers) =>
  blackBox.webhooks((options) => startDistributed(servers, options)),
);
