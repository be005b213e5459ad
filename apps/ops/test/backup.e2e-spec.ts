import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startStandalone, type StandaloneService } from '@refledger/testing';
import { jsonLines, ops } from './ops-process.js';
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
      `${target} holds the log up to position ${head}. Files: deliveries.db, events.db, secrets.key\n`,
    );
    const files = readdirSync(target).filter((name) => !/-(wal|shm)$/.test(name));
    expect(files).toEqual(['deliveries.db', 'events.db', 'secrets.key']);
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

  it('rejects an existing target, and a source that is not a data folder', async () => {
    const there = join(folder.path, 'there');
    mkdirSync(there);
    const again = await ops(folder.path, 'backup', there);
    expect(again.code).toBe(2);
    expect(again.err).toContain('already exists');
    const fromNothing = await ops(there, 'backup', join(folder.path, 'not'));
    expect(fromNothing.code).toBe(3);
    expect(fromNothing.err).toContain('there is no event log in');
    expect(existsSync(join(folder.path, 'not'))).toBe(false);
  });
});
