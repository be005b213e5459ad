import { sharedService, startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { smokeSuite } from '../../src/smoke/smoke.suite.js';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) =>
  smokeSuite(sharedService(() => startDistributed(servers))),
);
