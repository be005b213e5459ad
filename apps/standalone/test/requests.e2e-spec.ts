import { blackBox, startStandalone } from '@refledger/testing';

blackBox.requests(startStandalone);
