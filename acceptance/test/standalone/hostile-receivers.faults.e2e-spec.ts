import { residentBytes, sharedService, startStandalone } from '@refledger/testing';
import {
  hostileReceiverSettings,
  hostileReceiversSuite,
} from '../../src/hostile/receivers/receivers.suite.js';

hostileReceiversSuite(
  sharedService(() => startStandalone({ env: hostileReceiverSettings })),
  residentBytes,
);
