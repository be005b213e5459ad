import { blackBox, startStandalone } from '@refledger/testing';

blackBox.reads(startStandalone);
