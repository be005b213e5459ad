import {
  descriptorsSuite,
  idleConnectionsSuite,
  noRateLimitSettings,
  sharedService,
  startStandalone,
  cpuSeconds,
  limitDescriptors,
  residentBytes,
} from '@refledger/testing';

describe('many connections', () =>
  idleConnectionsSuite(
    sharedService(() => startStandalone({ env: noRateLimitSettings })),
    residentBytes,
  ));

describe('more connections than descriptors', () =>
  descriptorsSuite(
    sharedService(() => startStandalone({ env: noRateLimitSettings })),
    { cpuSeconds, limitDescriptors },
  ));
