import { startStandalone, type StandaloneService } from '@refledger/testing';
import { OpsProcess } from './ops-process.js';
import { rebuiltCommissionsSuite } from './rebuilt-commissions.suite.js';

describe('on a directory', () => {
  let service: StandaloneService;
  beforeAll(async () => {
    service = await startStandalone();
  });
  afterAll(() => service.stop());
  rebuiltCommissionsSuite(() => ({
    service,
    ops: (...args) => new OpsProcess(service.dataDir, args).end(),
  }));
});
