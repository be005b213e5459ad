import {
  noRateLimitSettings,
  rawRequestsSuite,
  sharedService,
  slowRequestsSuite,
  startStandalone,
  unreadAnswersSuite,
} from '@refledger/testing';

const service = sharedService(() => startStandalone({ env: noRateLimitSettings }));
rawRequestsSuite(service);
slowRequestsSuite(service);
unreadAnswersSuite(service);
