import { blackBox, startDistributed } from '@refledger/testing';

blackBox.webhooks(startDistributed);
