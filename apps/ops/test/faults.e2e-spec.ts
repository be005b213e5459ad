import { readdirSync } from 'node:fs';
import { lockFolder } from '@refledger/sqlite';
import { streams } from '@refledger/contracts';
import { eventually, startStandalone } from '@refledger/testing';
import { jsonLines, ops, OpsProcess } from './ops-process.js';
import { ids, SampleFolder } from './sample-folder.js';

const containing = (text: string): string => expect.stringContaining(text) as string;

describe('a locked directory whose holder does not respond', () => {
  it('accepts no decision: the error names the holder, and nothing is written', async () => {
    const folder = await SampleFolder.make();
    const lock = lockFolder(folder.path);
    try {
      for (const args of [
        ['skip', 'projector', '1', '--force'],
        ['resume', 'projector', '--from', 'head'],
        ['rebuild', 'programs'],
      ]) {
        expect(await ops(folder.path, ...args)).toMatchObject({
          code: 3,
          err: containing(`in use by process ${process.pid}`),
        });
      }
      expect((await ops(folder.path, 'tail', '--type', 'processor')).code).toBe(1);
    } finally {
      lock.release();
      folder.remove();
    }
  });
});

describe('a verification that ends early', () => {
  let folder: SampleFolder;
  beforeAll(async () => void (folder = await SampleFolder.make()));
  afterAll(() => folder.remove());

  const temporaryFolders = () =>
    readdirSync(folder.path).filter((name) => name.startsWith('refledger-ops-'));

  it.each([
    ['the terminal was closed', 'SIGHUP', 130],
    ['a second signal ended the process immediately', 'SIGUSR2', 1],
  ] as const)('leaves no copy of the read models: %s', async (_, signal, code) => {
    const verifying = new OpsProcess(folder.path, ['verify'], heldAtFirstLine);
    await eventually(() => expect(verifying.out).not.toBe(''));
    const meanwhile = temporaryFolders();
    expect(await verifying.end(signal)).toMatchObject({ code });
    expect(meanwhile).toHaveLength(1);
    expect(temporaryFolders()).toEqual([]);
  });
});

/** Makes a command wait after its first line, as for a reader that reads no more. */
const heldAtFirstLine = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (...line) => (write(...line), false);
    const waiting = setInterval(() => process.exitCode === undefined || clearInterval(waiting), 10);
    process.on('SIGUSR2', () => process.exit(1));
  `)}`,
};

describe('an event that the projector cannot get past', () => {
  const poisoned = async (): Promise<{ folder: SampleFolder; position: string }> => {
    const folder = await SampleFolder.make();
    const position = await folder.append(streams.conversion(ids.conversion), {
      type: 'conversion.poison',
      data: { odd: true },
    });
    await folder.append(streams.account('acct_later'), {
      type: 'account.created',
      data: { account_id: 'acct_later', name: 'Later', salt: 'salt' },
    });
    return { folder, position };
  };

  it('is skipped in a running service, which continues', async () => {
    const { folder, position } = await poisoned();
    const service = await startStandalone({ dataDir: folder.path });
    try {
      await eventually(() => expect(service.logs()).toContain(`ops skip projector ${position}`));
      expect(await ops(folder.path, 'skip', 'projector', position)).toMatchObject({
        code: 0,
        out: containing('    odd: true\n'),
      });
      await eventually(async () =>
        expect(await ops(folder.path, 'verify', 'accounts')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/: [3-9] documents/) as string,
        }),
      );
    } finally {
      await service.stop();
      folder.remove();
    }
  });

  it('stops a rebuild without a service, until it is skipped', async () => {
    const { folder, position } = await poisoned();
    try {
      expect(await ops(folder.path, 'rebuild', 'accounts')).toMatchObject({
        code: 3,
        out: '',
        err: containing(`position ${position}`),
      });
      expect((await ops(folder.path, 'skip', 'projector', position)).code).toBe(0);
      expect((await ops(folder.path, 'rebuild', 'accounts')).code).toBe(0);
      expect(await ops(folder.path, 'verify', 'accounts')).toMatchObject({
        code: 0,
        out: containing(': 2 documents'),
      });
      expect(
        jsonLines(await ops(folder.path, 'tail', '--json', '--type', 'processor')).map(
          ({ type }) => type,
        ),
      ).toEqual([
        'processor.rebuild_requested',
        'processor.skipped',
        'processor.rebuild_requested',
      ]);
    } finally {
      folder.remove();
    }
  });
});
