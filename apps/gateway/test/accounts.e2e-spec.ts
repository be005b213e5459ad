import { blackBox, startDistributed } from '@refledger/testing';

blackBox.accounts(startDistributed);
