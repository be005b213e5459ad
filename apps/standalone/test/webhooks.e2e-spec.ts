import { blackBox, startStandalone } from '@refledger/testing';

blackBox.webhooks(startStandalone);
