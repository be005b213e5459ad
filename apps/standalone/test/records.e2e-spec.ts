import { blackBox, startStandalone } from '@refledger/testing';

blackBox.records(startStandalone);
