import {
  heldSlotsSettings,
  heldSlotsSuite,
  sharedService,
  startStandalone,
} from '@refledger/testing';

heldSlotsSuite(sharedService(() => startStandalone({ env: heldSlotsSettings })));
