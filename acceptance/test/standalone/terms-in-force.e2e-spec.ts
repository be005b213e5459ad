import { count, sharedService, startStandalone } from '@refledger/testing';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { termsInForceSuite } from '../../src/black-box/records/terms-in-force.suite.js';

termsInForceSuite(
  sharedService(() => startStandalone({ env: noRateLimitSettings })),
  count(100, 1_000),
);
