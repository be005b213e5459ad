import { blackBox, startGatewayWithoutReadStore } from '@refledger/testing';

describe('the gateway over an event log alone', () => {
  blackBox.withoutReadModels(startGatewayWithoutReadStore);
});
