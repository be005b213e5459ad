import { sharedService, startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { ledgerSuite } from '../../src/services/ledger.suite.js';
import { relayedErasuresSuite } from '../../src/services/relayed-erasures.suite.js';
import { smokeSuite } from '../../src/smoke/smoke.suite.js';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) => {
  const service = sharedService(() => startDistributed(servers, { env: noRateLimitSettings }));
  // these first: they read whole topics
  relayedErasuresSuite(service);
  ledgerSuite(service);
  smokeSuite(service);
});
