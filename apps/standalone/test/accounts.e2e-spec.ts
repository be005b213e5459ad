import { accountsAndKeysSuite, documentationSuite, healthSuite, isolationSuite, sharedService, startStandalone } from '@refledger/testing';

const service = sharedService(() => startStandalone());
accountsAndKeysSuite(service);
isolationSuite(service);
documentationSuite(service);
healthSuite(service);
