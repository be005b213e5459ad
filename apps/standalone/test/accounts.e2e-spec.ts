import { blackBox, startStandalone } from '@refledger/testing';

blackBox.accounts(startStandalone);
