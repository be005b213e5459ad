import { startStandalone } from '@refledger/testing';
import { OpsProcess } from './ops-process.js';
import { rebuiltCommissionsSuite } from './rebuilt-commissions.suite.js';

describe('on a folder', () =>
  rebuiltCommissionsSuite(async (scratch) => ({
    service: await startStandalone({ dataDir: scratch }),
    ops: (...args) => new OpsProcess(scratch, args).end(),
  })));
