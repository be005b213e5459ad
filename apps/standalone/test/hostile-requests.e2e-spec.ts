import { fuzzSettings, fuzzSuite, sharedService, startStandalone } from '@refledger/testing';

fuzzSuite(sharedService(() => startStandalone({ env: fuzzSettings })));
