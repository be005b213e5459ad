import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
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
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import { readBackupMarker } from '@refledger/operator';
import { openKeyReader, openKeyStore } from '@refledger/key-store';
import {
  eventually,
  expectStatus,
  startStandalone,
  TestAccount,
  type Affiliate,
  type StandaloneService,
} from '@refledger/testing';
import { InterruptedError } from '../src/console.js';
import { backUpDirectory } from '../src/engines/back-up-directory.js';
import { jsonLines, ops } from './ops-process.js';
import { runInProcess } from './run-in-process.js';
import { SampleDirectory } from './sample-directory.js';

describe.each(['running', 'stopped'] as const)('ops backup beside a %s service', (state) => {
  let directory: SampleDirectory;
  let service: StandaloneService | undefined;
  let account: TestAccount;
  let affiliate: Affiliate;
  beforeAll(async () => {
    directory = await SampleDirectory.make();
    service = await startStandalone({ dataDir: directory.path });
    account = await TestAccount.open(service);
    affiliate = await account.affiliate({ name: 'Ada Lovelace' });
    if (state === 'stopped') await service.stop();
  });
  afterAll(async () => {
    if (state === 'running') await service?.stop();
    directory.remove();
  });

  it('copies the log, the deliveries and the keys, readable by the owner only, and prints the last position', async () => {
    const target = join(directory.path, 'copies', 'one');
    const { code, out, err } = await ops(directory.path, 'backup', target);
    const head = jsonLines(await ops(directory.path, 'tail', '--json', '--last', '1'))[0]?.position;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `${target} holds the log up to position ${head}. Files: backup.json, deliveries.db, events.db, personal-keys.db, secrets.key
A service on it sends nothing until ops restored says that it has taken the original's place.
`,
    );
    const last = jsonLines(await ops(target, 'tail', '--json', '--last', '1'))[0];
    expect(readBackupMarker(dataDirectory(target))).toEqual({
      position: head,
      event_id: last?.id,
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    const files = readdirSync(target).filter((name) => !/-(wal|shm)$/.test(name));
    expect(files).toEqual([
      'backup.json',
      'deliveries.db',
      'events.db',
      'personal-keys.db',
      'secrets.key',
    ]);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    for (const name of files)
      expect([name, statSync(join(target, name)).mode & 0o777]).toEqual([name, 0o600]);
    const [was, is] = await Promise.all(
      [directory.path, target].map(
        async (path) => (await ops(path, 'tail', '--json', '--from', '1')).out,
      ),
    );
    expect(is).toBe(was);
  });

  it('has the key of every affiliate in its log: a service on it opens personal values', async () => {
    const target = join(directory.path, 'opened');
    expect(await ops(directory.path, 'backup', target)).toMatchObject({ code: 0, err: '' });
    const restored = await startStandalone({ dataDir: target });
    try {
      const there = await account.atGateway(restored);
      await eventually(async () =>
        expect(
          expectStatus(200, await there.api.get<Affiliate>(`/v1/affiliates/${affiliate.id}`)),
        ).toEqual(affiliate),
      );
      await there.affiliate();
    } finally {
      await restored.stop();
    }
  });

  it('copies the deliveries first, then the log, and the keys last', async () => {
    const target = join(directory.path, 'ordered');
    const copied = () => readdirSync(target).filter((name) => name.endsWith('.db'));
    const source = await openKeyReader(embeddedUrls.KEY_STORE_URL, { dataDir: directory.path });
    const orders: (readonly string[])[] = [];
    const signal = { throwIfAborted: () => void orders.push(copied()) };
    await backUpDirectory(dataDirectory(directory.path), target, signal);
    expect(orders).toEqual([
      [],
      ['deliveries.db'],
      ['deliveries.db', 'events.db'],
      ['deliveries.db', 'events.db', 'personal-keys.db'],
    ]);
    const copy = await openKeyReader(embeddedUrls.KEY_STORE_URL, { dataDir: target });
    expect(copy.id).toBe(source.id);
    await Promise.all([source.close(), copy.close()]);
  });

  it('refuses a directory whose key store is missing or another one', async () => {
    const lost = join(directory.path, 'lost');
    expect(await ops(directory.path, 'backup', lost)).toMatchObject({ code: 0 });
    rmSync(dataDirectory(lost).personalKeys);
    expect(await ops(lost, 'backup', join(lost, 'copy'))).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(
        /The event log names the key store .*personal-keys\.db has none\. Restore/s,
      ) as string,
    });
    const url = embeddedUrls.KEY_STORE_URL;
    await (await openKeyStore(url, { dataDir: lost, create: true })).close();
    expect(await ops(lost, 'backup', join(lost, 'copy'))).toMatchObject({
      code: 3,
      err: expect.stringContaining('Restore the key store that belongs to this log') as string,
    });
    expect(existsSync(join(lost, 'copy'))).toBe(false);
  });

  it('keeps the marker of a backup in a backup of it', async () => {
    const [one, two] = [join(directory.path, 'of', 'one'), join(directory.path, 'of', 'two')];
    await ops(directory.path, 'backup', one);
    expect(await ops(one, 'backup', two)).toMatchObject({ code: 0, err: '' });
    expect(readBackupMarker(dataDirectory(two))).toEqual(readBackupMarker(dataDirectory(one)));
  });

  it('rejects an existing target, and a source that is not a data directory', async () => {
    const there = join(directory.path, 'there');
    mkdirSync(there);
    const again = await ops(directory.path, 'backup', there);
    expect(again.code).toBe(2);
    expect(again.err).toContain('already exists');
    const link = join(directory.path, 'link');
    symlinkSync('not-mounted', link);
    const dangling = await ops(directory.path, 'backup', link);
    expect(dangling.code).toBe(2);
    expect(dangling.err).toContain('already exists');
    expect(readlinkSync(link)).toBe('not-mounted');
    const fromNothing = await ops(there, 'backup', join(directory.path, 'not'));
    expect(fromNothing.code).toBe(3);
    expect(fromNothing.err).toContain('there is no event log in');
    expect(existsSync(join(directory.path, 'not'))).toBe(false);
  });

  it('removes what it has copied when it fails, and nothing else', async () => {
    const [parent, unreadable] = [join(directory.path, 'parent'), join(directory.path, 'api-key')];
    mkdirSync(unreadable);
    const failed = await ops(directory.path, 'backup', join(parent, 'failed'));
    rmdirSync(unreadable);
    expect(failed).toMatchObject({ code: 3, out: '' });
    expect(readdirSync(parent)).toEqual([]);
    const interrupted = await runInProcess(['backup', join(parent, 'interrupted')], {
      env: { DATA_DIR: directory.path },
      ended: new InterruptedError('Ctrl-C'),
    });
    expect(interrupted).toEqual({ code: 130, out: '', err: '' });
    expect(readdirSync(parent)).toEqual([]);
    const belowFile = await ops(
      directory.path,
      'backup',
      join(directory.path, 'events.db', 'copy'),
    );
    expect(belowFile.code).toBe(3);
    expect(belowFile.err).toMatch(
      /^ops: .*copy cannot be created: .*\. Name another directory\.\n$/,
    );
    expect(existsSync(join(directory.path, 'events.db'))).toBe(true);
  });

  it('says what to do about a damaged file', async () => {
    const damaged = join(directory.path, 'damaged');
    mkdirSync(damaged);
    const back = () =>
      runInProcess(['backup', join(damaged, 'copy')], { env: { DATA_DIR: damaged } });
    for (const file of ['events.db', 'deliveries.db', 'personal-keys.db'])
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
    copyFileSync(dataDirectory(directory.path).events, join(damaged, 'events.db'));
    expect(await back()).toMatchObject({
      code: 3,
      err: expect.stringMatching(/personal-keys\.db: .*restore this file/) as string,
    });
    rmSync(damaged, { recursive: true });
  });
});
