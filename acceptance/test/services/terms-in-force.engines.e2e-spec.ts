import {
  type DistributedService,
  sharedService,
  startDistributedOverLogBus,
} from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { noRateLimitSettings } from '../../src/black-box/accounts/rate-limit.suite.js';
import { termsInForceSuite } from '../../src/black-box/records/terms-in-force.suite.js';

describeWithServers(['MongoDB'], 'two gateways', (servers) => {
  let service: DistributedService;
  const start = async (): Promise<DistributedService> =>
    (service = await startDistributedOverLogBus(servers, { env: noRateLimitSettings }));
  const other = async (): Promise<string> => (await service.another('gateway')).baseUrl;
  termsInForceSuite(sharedService(start), 100, other);
});
