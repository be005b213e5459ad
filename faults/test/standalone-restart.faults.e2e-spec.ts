import { blackBox } from '@refledger/acceptance';
import { startStandalone } from '@refledger/testing';

blackBox.restart(startStandalone);
