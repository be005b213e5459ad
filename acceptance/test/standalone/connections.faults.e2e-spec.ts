import {
  cpuSeconds,
  limitDescriptors,
  residentBytes,
  sharedService,
  startStandalone,
} from '@refledger/testing';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import {
  descriptorsSuite,
  idleConnectionsSuite,
} from '../../src/hostile/connections/connections.suite.js';

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
