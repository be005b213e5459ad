import { consistencySuite, listsSuite, noRateLimitSettings, noRateLimitSuite, sharedService, startStandalone, statsSuite } from '@refledger/testing';

const service = sharedService(() => startStandalone({ env: noRateLimitSettings }));
listsSuite(service);
consistencySuite(service);
statsSuite(service);
noRateLimitSuite(service);
