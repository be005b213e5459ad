import {
  noRateLimitSettings,
  rawRequestsSuite,
  sharedService,
  slowRequestsSuite,
  startStandalone,
  slowReadersSuite,
} from '@refledger/testing';

const service = sharedService(() => startStandalone({ env: noRateLimitSettings }));
rawRequestsSuite(service);
slowRequestsSuite(service);
slowReadersSuite(service);
