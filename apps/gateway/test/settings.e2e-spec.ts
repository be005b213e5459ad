import { blackBox, startDistributed } from '@refledger/testing';

blackBox.settings(startDistributed);
