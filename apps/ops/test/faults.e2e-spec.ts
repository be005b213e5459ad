import { readdirSync } from 'node:fs';
import { lockDirectory } from '@refledger/sqlite';
import { streams } from '@refledger/contracts';
import { eventually, startStandalone } from '@refledger/testing';
import { jsonLines, ops, OpsProcess } from './ops-process.js';
import { ids, SampleDirectory } from './sample-directory.js';

const containing = (text: string): string => expect.stringContaining(text) as string;

describe('a locked directory whose holder does not respond', () => {
  it('accepts no decision: the error names the holder, and nothing is written', async () => {
    const directory = await SampleDirectory.make();
    const lock = lockDirectory(directory.path);
    try {
      for (const args of [
        ['skip', 'projector', '1', '--force'],
        ['resume', 'projector', '--from', 'head'],
        ['rebuild', 'programs'],
      ]) {
        expect(await ops(directory.path, ...args)).toMatchObject({
          code: 3,
          err: containing(`in use by process ${process.pid}`),
        });
      }
      expect((await ops(directory.path, 'tail', '--type', 'processor')).code).toBe(1);
    } finally {
      lock.release();
      directory.remove();
    }
  });
});

describe('a verification that ends early', () => {
  let directory: SampleDirectory;
  beforeAll(async () => void (directory = await SampleDirectory.make()));
  afterAll(() => directory.remove());

  const temporaryDirectories = () =>
    readdirSync(directory.path).filter((name) => name.startsWith('refledger-ops-'));

  it.each([
    ['the terminal was closed', 'SIGHUP', 130],
    ['a second signal ended the process immediately', 'SIGUSR2', 1],
  ] as const)('leaves no copy of the read models: %s', async (_, signal, code) => {
    const verifying = new OpsProcess(directory.path, ['verify'], heldAtFirstLine);
    await eventually(() => expect(verifying.out).not.toBe(''));
    const meanwhile = temporaryDirectories();
    expect(await verifying.end(signal)).toMatchObject({ code });
    expect(meanwhile).toHaveLength(1);
    expect(temporaryDirectories()).toEqual([]);
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
  const poisoned = async (): Promise<{ directory: SampleDirectory; position: string }> => {
    const directory = await SampleDirectory.make();
    const position = await directory.append(streams.conversion(ids.conversion), {
      type: 'conversion.poison',
      data: { odd: true },
    });
    await directory.append(streams.account('acct_later'), {
      type: 'account.created',
      data: { account_id: 'acct_later', name: 'Later' },
    });
    return { directory, position };
  };

  it('is skipped in a running service, which continues', async () => {
    const { directory, position } = await poisoned();
    const service = await startStandalone({ dataDir: directory.path });
    try {
      await eventually(() => expect(service.logs()).toContain(`ops skip projector ${position}`));
      expect(await ops(directory.path, 'skip', 'projector', position)).toMatchObject({
        code: 0,
        out: containing('    odd: true\n'),
      });
      await eventually(async () =>
        expect(await ops(directory.path, 'verify', 'accounts')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/: [3-9] documents/) as string,
        }),
      );
    } finally {
      await service.stop();
      directory.remove();
    }
  });

  it('stops a rebuild without a service, until it is skipped', async () => {
    const { directory, position } = await poisoned();
    try {
      expect(await ops(directory.path, 'rebuild', 'accounts')).toMatchObject({
        code: 3,
        out: '',
        err: containing(`position ${position}`),
      });
      expect((await ops(directory.path, 'skip', 'projector', position)).code).toBe(0);
      expect((await ops(directory.path, 'rebuild', 'accounts')).code).toBe(0);
      expect(await ops(directory.path, 'verify', 'accounts')).toMatchObject({
        code: 0,
        out: containing(': 2 documents'),
      });
      expect(
        jsonLines(await ops(directory.path, 'tail', '--json', '--type', 'processor')).map(
          ({ type }) => type,
        ),
      ).toEqual([
        'processor.rebuild_requested',
        'processor.skipped',
        'processor.rebuild_requested',
      ]);
    } finally {
      directory.remove();
    }
  });
});
