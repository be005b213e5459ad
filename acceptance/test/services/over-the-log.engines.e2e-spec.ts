import { sharedService, startDistributedOverLogBus } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { termsInForceSuite } from '../../src/black-box/records/terms-in-force.suite.js';
import { killedWhileErasingSuite } from '../../src/services/killed-while-erasing.suite.js';
import { outgoingOffSuite } from '../../src/services/outgoing-off.suite.js';
import { dispatcherWithoutReadStoreSuite } from '../../src/services/dispatcher-without-read-store.suite.js';

describeWithServers(['MongoDB'], 'four services', (servers) => {
  const service = sharedService(() =>
    startDistributedOverLogBus(servers, { env: noRateLimitSettings }),
  );
  describe('with two gateways', () =>
    termsInForceSuite(service, 100, async () => {
      const services = await service();
      return (await services.startAnother('gateway')).baseUrl;
    }));
  killedWhileErasingSuite(service);
  dispatcherWithoutReadStoreSuite(service);
  outgoingOffSuite(service);
});
