import { sharedService, startStandalone } from '@refledger/testing';
import { smokeSuite } from '../../src/smoke/smoke.suite.js';

smokeSuite(sharedService(startStandalone));
