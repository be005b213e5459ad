import { sharedService, startStandalone } from '@refledger/testing';
import { heldSlotsSettings, heldSlotsSuite } from '../../src/hostile/receivers/held-slots.suite.js';

heldSlotsSuite(sharedService(() => startStandalone({ env: heldSlotsSettings })));
