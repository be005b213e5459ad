import { hostileReceiverSettings, hostileReceiversSuite, sharedService, startStandalone } from '@refledger/testing';
import { residentBytes } from './running-process.js';

hostileReceiversSuite(sharedService(() => startStandalone({ env: hostileReceiverSettings })), residentBytes);
