import { blackBox } from '@refledger/acceptance';
import { startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) =>
  blackBox.restart((options) => startDistributed(servers, options)),
);
