import { residentBytes, sharedService, startStandalone } from '@refledger/testing';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { overloadSuite } from '../../src/hostile/connections/overload.suite.js';

overloadSuite(
  sharedService(() => startStandalone({ env: { ...noRateLimitSettings, LOG_LEVEL: 'warn' } })),
  residentBytes,
);
