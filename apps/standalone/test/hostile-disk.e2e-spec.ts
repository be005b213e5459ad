import { fullDiskSettings, fullDiskSuite, startStandalone } from '@refledger/testing';

fullDiskSuite((dataDir) => startStandalone({ dataDir, env: fullDiskSettings }));
