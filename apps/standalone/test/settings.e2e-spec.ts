import { blackBox, startStandalone } from '@refledger/testing';

blackBox.settings(startStandalone);
