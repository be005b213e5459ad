import { startStandalone } from '@refledger/testing';
import { fullDiskSettings, fullDiskSuite } from '../../src/hostile/disk/full-disk.suite.js';

fullDiskSuite((dataDir) => startStandalone({ dataDir, env: fullDiskSettings }));
