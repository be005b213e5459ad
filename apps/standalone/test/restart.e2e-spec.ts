import { restartSettings, restartSuite, sharedService, startStandalone } from '@refledger/testing';

restartSuite(sharedService(() => startStandalone({ env: restartSettings })));
