import { blackBox, startStandalone } from '@refledger/testing';

blackBox.restart(startStandalone);
