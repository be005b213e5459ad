import { blackBox, startDistributed } from '@refledger/testing';

blackBox.requests(startDistributed);
