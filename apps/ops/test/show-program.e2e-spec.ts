import { startStandalone, TestAccount, type StandaloneService } from '@refledger/testing';
import { ops } from './ops-process.js';
import { changedProgram, expectProgramHistory } from './program-history.js';
import { SampleDirectory } from './sample-directory.js';

describe('ops show of a program beside an embedded service', () => {
  let directory: SampleDirectory;
  let service: StandaloneService;
  beforeAll(async () => {
    directory = await SampleDirectory.make();
    service = await startStandalone({ dataDir: directory.path });
  });
  afterAll(async () => {
    await service.stop();
    directory.remove();
  });

  it('shows every change, including those to its terms', async () => {
    const account = await TestAccount.open(service);
    const program = await changedProgram(account);
    await expectProgramHistory(program, account, (...args) => ops(directory.path, ...args));
  });
});
