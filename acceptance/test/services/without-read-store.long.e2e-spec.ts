import { startGatewayWithoutReadStore } from '@refledger/testing';
import { blackBox } from '../../src/black-box/groups.js';

describe('the gateway over an event log alone', () => {
  blackBox.withoutReadModels(startGatewayWithoutReadStore);
});
