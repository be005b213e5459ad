import {
  noRateLimitSettings,
  overloadSuite,
  sharedService,
  startStandalone,
  residentBytes,
} from '@refledger/testing';

overloadSuite(
  sharedService(() => startStandalone({ env: { ...noRateLimitSettings, LOG_LEVEL: 'warn' } })),
  residentBytes,
);
