import { startStandalone, TestAccount, type StandaloneService } from '@refledger/testing';
import { ops } from './ops-process.js';
import { changedProgram, expectProgramHistory } from './program-history.js';
import { SampleFolder } from './sample-folder.js';

describe('ops show of a program beside an embedded service', () => {
  let folder: SampleFolder;
  let service: StandaloneService;
  beforeAll(async () => {
    folder = await SampleFolder.make();
    service = await startStandalone({ dataDir: folder.path });
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  it('shows every change, including those to its terms', async () => {
    const account = await TestAccount.open(service);
    const program = await changedProgram(account);
    await expectProgramHistory(program, account, (...args) => ops(folder.path, ...args));
  });
});
