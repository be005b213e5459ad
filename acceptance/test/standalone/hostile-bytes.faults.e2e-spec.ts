import { sharedService, startStandalone } from '@refledger/testing';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { rawRequestsSuite } from '../../src/hostile/connections/raw-requests.suite.js';
import { slowReadersSuite } from '../../src/hostile/connections/slow-readers.suite.js';
import { slowRequestsSuite } from '../../src/hostile/connections/slow-requests.suite.js';

const service = sharedService(() => startStandalone({ env: noRateLimitSettings }));
rawRequestsSuite(service);
slowRequestsSuite(service);
slowReadersSuite(service);
