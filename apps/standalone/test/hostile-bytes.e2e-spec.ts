import { noRateLimitSettings, rawRequestsSuite, sharedService, slowRequestsSuite, startStandalone } from '@refledger/testing';

const service = sharedService(() => startStandalone({ env: noRateLimitSettings }));
rawRequestsSuite(service);
slowRequestsSuite(service);
