import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '@refledger/engines';
import { readBackupMarker } from '@refledger/operator';
import { startStandalone, type StandaloneService } from '@refledger/testing';
import { InterruptedError } from '../src/console.js';
import { jsonLines, ops } from './ops-process.js';
import { runInProcess } from './run-in-process.js';
import { SampleFolder } from './sample-folder.js';

describe.each(['running', 'stopped'] as const)('ops backup beside a %s service', (state) => {
  let folder: SampleFolder;
  let service: StandaloneService | undefined;
  beforeAll(async () => {
    folder = await SampleFolder.make();
    service = await startStandalone({ dataDir: folder.path });
    if (state === 'stopped') await service.stop();
  });
  afterAll(async () => {
    if (state === 'running') await service?.stop();
    folder.remove();
  });

  it('copies the log, the deliveries and the keys, readable by the owner only, and prints the last position', async () => {
    const target = join(folder.path, 'copies', 'one');
    const { code, out, err } = await ops(folder.path, 'backup', target);
    const head = jsonLines(await ops(folder.path, 'tail', '--json', '--last', '1'))[0]?.position;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `${target} holds the log up to position ${head}. Files: backup.json, deliveries.db, events.db, secrets.key
A service on it sends nothing until ops restored says that it has taken the original's place.
`,
    );
    const last = jsonLines(await ops(target, 'tail', '--json', '--last', '1'))[0];
    expect(readBackupMarker(dataFolder(target))).toEqual({
      position: head,
      event_id: last?.id,
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    const files = readdirSync(target).filter((name) => !/-(wal|shm)$/.test(name));
    expect(files).toEqual(['backup.json', 'deliveries.db', 'events.db', 'secrets.key']);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    for (const name of files)
      expect([name, statSync(join(target, name)).mode & 0o777]).toEqual([name, 0o600]);
    const [was, is] = await Promise.all(
      [folder.path, target].map(
        async (path) => (await ops(path, 'tail', '--json', '--from', '1')).out,
      ),
    );
    expect(is).toBe(was);
  });

  it('keeps the marker of a backup in a backup of it', async () => {
    const [one, two] = [join(folder.path, 'of', 'one'), join(folder.path, 'of', 'two')];
    await ops(folder.path, 'backup', one);
    expect(await ops(one, 'backup', two)).toMatchObject({ code: 0, err: '' });
    expect(readBackupMarker(dataFolder(two))).toEqual(readBackupMarker(dataFolder(one)));
  });

  it('rejects an existing target, and a source that is not a data directory', async () => {
    const there = join(folder.path, 'there');
    mkdirSync(there);
    const again = await ops(folder.path, 'backup', there);
    expect(again.code).toBe(2);
    expect(again.err).toContain('already exists');
    const link = join(folder.path, 'link');
    symlinkSync('not-mounted', link);
    const dangling = await ops(folder.path, 'backup', link);
    expect(dangling.code).toBe(2);
    expect(dangling.err).toContain('already exists');
    expect(readlinkSync(link)).toBe('not-mounted');
    const fromNothing = await ops(there, 'backup', join(folder.path, 'not'));
    expect(fromNothing.code).toBe(3);
    expect(fromNothing.err).toContain('there is no event log in');
    expect(existsSync(join(folder.path, 'not'))).toBe(false);
  });

  it('removes what it has copied when it fails, and nothing else', async () => {
    const [parent, unreadable] = [join(folder.path, 'parent'), join(folder.path, 'api-key')];
    mkdirSync(unreadable);
    const failed = await ops(folder.path, 'backup', join(parent, 'failed'));
    rmdirSync(unreadable);
    expect(failed).toMatchObject({ code: 3, out: '' });
    expect(readdirSync(parent)).toEqual([]);
    const interrupted = await runInProcess(['backup', join(parent, 'interrupted')], {
      env: { DATA_DIR: folder.path },
      ended: new InterruptedError('Ctrl-C'),
    });
    expect(interrupted).toEqual({ code: 130, out: '', err: '' });
    expect(readdirSync(parent)).toEqual([]);
    const belowFile = await ops(folder.path, 'backup', join(folder.path, 'events.db', 'copy'));
    expect(belowFile.code).toBe(3);
    expect(belowFile.err).toMatch(
      /^ops: .*copy cannot be created: .*\. Name another directory\.\n$/,
    );
    expect(existsSync(join(folder.path, 'events.db'))).toBe(true);
  });

  it('says what to do about a damaged file', async () => {
    const damaged = join(folder.path, 'damaged');
    mkdirSync(damaged);
    const back = () =>
      runInProcess(['backup', join(damaged, 'copy')], { env: { DATA_DIR: damaged } });
    for (const file of ['events.db', 'deliveries.db'])
      writeFileSync(join(damaged, file), randomBytes(8_192));
    expect(await back()).toMatchObject({
      code: 3,
      err: expect.stringMatching(/deliveries\.db: .*move this file/) as string,
    });
    rmSync(join(damaged, 'deliveries.db'));
    expect(await back()).toMatchObject({
      code: 3,
      err: expect.stringMatching(/events\.db: .*Restore the data directory/) as string,
    });
    rmSync(damaged, { recursive: true });
  });
});
