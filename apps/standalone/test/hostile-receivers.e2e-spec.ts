import {
  hostileReceiverSettings,
  hostileReceiversSuite,
  sharedService,
  startStandalone,
  residentBytes,
} from '@refledger/testing';

hostileReceiversSuite(
  sharedService(() => startStandalone({ env: hostileReceiverSettings })),
  residentBytes,
);
