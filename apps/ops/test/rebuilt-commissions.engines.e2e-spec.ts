import { startDistributedOverLogBus } from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { OpsProcess } from './ops-process.js';
import { rebuiltCommissionsSuite } from './rebuilt-commissions.suite.js';

describeWithServers(['MongoDB'], 'on EventStoreDB and MongoDB', (servers) =>
  rebuiltCommissionsSuite(async (scratch) => {
    const service = await startDistributedOverLogBus(servers);
    const [eventLog, store] = service.engines.map(({ url }) => url);
    const urls = {
      EVENT_LOG_URL: eventLog ?? '',
      READ_STORE_URL: store ?? '',
      EVENT_BUS_URL: 'log:',
    };
    return { service, ops: (...args) => new OpsProcess(scratch, args, urls).end() };
  }),
);
