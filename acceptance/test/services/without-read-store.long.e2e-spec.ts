import { startGatewayWithoutReadStore } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { blackBox } from '../../src/black-box/groups.js';

describeWithServers(['MongoDB'], 'the gateway over an event log and a key store', (servers) => {
  blackBox.withoutReadModels((options) => startGatewayWithoutReadStore(servers, options));
});
