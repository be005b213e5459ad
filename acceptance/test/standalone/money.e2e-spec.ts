import { startStandalone } from '@refledger/testing';
import { blackBox } from '../../src/black-box/groups.js';

blackBox.money(startStandalone);
