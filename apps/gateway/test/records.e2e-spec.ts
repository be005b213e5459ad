import { blackBox, startDistributed } from '@refledger/testing';

blackBox.records(startDistributed);
