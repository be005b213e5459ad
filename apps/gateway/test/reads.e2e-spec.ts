import { blackBox, startDistributed } from '@refledger/testing';

blackBox.reads(startDistributed);
