import { sharedService, startStandalone } from '@refledger/testing';
import { fuzzSettings, fuzzSuite } from '../../src/hostile/fuzz/fuzz.suite.js';

fuzzSuite(sharedService(() => startStandalone({ env: fuzzSettings })));
