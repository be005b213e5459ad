import { noRateLimitSettings, overloadSuite, sharedService, startStandalone } from '@refledger/testing';
import { residentBytes } from './running-process.js';

overloadSuite(sharedService(() => startStandalone({ env: { ...noRateLimitSettings, LOG_LEVEL: 'warn' } })), residentBytes);
