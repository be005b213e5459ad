import { descriptorsSuite, idleConnectionsSuite, noRateLimitSettings, sharedService, startStandalone } from '@refledger/testing';
import { cpuSeconds, limitDescriptors, residentBytes } from './running-process.js';

describe('many connections', () => idleConnectionsSuite(sharedService(() => startStandalone({ env: noRateLimitSettings })), residentBytes));

describe('more connections than descriptors', () => descriptorsSuite(sharedService(() => startStandalone({ env: noRateLimitSettings })), { cpuSeconds, limitDescriptors }));
