import { blackBox, startDistributed } from '@refledger/testing';

blackBox.restart(startDistributed);
