import { sharedService, startDistributed } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { ledgerSuite } from '../../src/services/ledger.suite.js';
import { smokeSuite } from '../../src/smoke/smoke.suite.js';

describeWithServers(['MongoDB', 'Kafka'], 'five services', (servers) => {
  const service = sharedService(() => startDistributed(servers, { env: noRateLimitSettings }));
  // the ledger's first: it reads a whole topic
  ledgerSuite(service);
  smokeSuite(service);
});
