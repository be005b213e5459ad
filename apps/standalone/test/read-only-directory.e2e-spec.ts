import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  conversionBody,
  eventually,
  expectStatus,
  ServiceProcess,
  startStandalone,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { unprivileged } from './unprivileged.js';

const user = unprivileged();
if (user === undefined)
  console.warn(
    'SKIPPED: a read-only directory is not tested, since file modes do not apply to root, and setpriv cannot start a process as another user here.',
  );

(user === undefined ? describe.skip : describe)('a data directory that is not writable', () => {
  const through = user?.through ?? [];
  let directory: string;
  let service: StandaloneService | undefined;
  const setModes = async (folderMode: number, fileMode: number): Promise<void> => {
    for (const name of await readdir(directory)) await chmod(join(directory, name), fileMode);
    await chmod(directory, folderMode);
  };
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-'));
    user?.own(directory);
  });
  afterEach(async () => {
    await service?.kill();
    service = undefined;
    await setModes(0o700, 0o600);
    await rm(directory, { recursive: true, force: true });
  });

  it.each([
    ['new', false],
    ['used before', true],
  ])('before the start, %s: exits with a clear error', async (_which, used) => {
    if (used) await (await startStandalone({ dataDir: directory, through })).stop();
    await setModes(0o500, 0o400);
    const refused = new ServiceProcess('standalone', { PORT: '0', DATA_DIR: directory }, through);
    expect(await refused.exit()).toBeGreaterThan(0);
    expect(refused.printed).toContain(directory);
    expect(refused.printed).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('while running: every response is 2xx or 503, no acknowledged write is lost, and it recovers when the directory is writable again', async () => {
    service = await startStandalone({
      dataDir: directory,
      through,
      env: { RATE_LIMIT_PER_MINUTE: '0' },
    });
    const account = await TestAccount.open(service);
    const affiliate = await account.affiliate();
    const acknowledged: string[] = [];
    const record = async (): Promise<number> => {
      const { status, body } = await account.api.post<{ id: string }>(
        '/v1/conversions',
        conversionBody(affiliate.id),
      );
      if (status === 201) acknowledged.push(body.id);
      return status;
    };
    await setModes(0o500, 0o400);
    for (let n = 0; n < 200; n++) expect([201, 503]).toContain(await record());
    expectStatus(200, await account.api.get('/v1/conversions'));
    await setModes(0o700, 0o600);
    await eventually(async () => expect(await record()).toBe(201));
    await service.restart();
    expect(
      (await account.all<{ id: string }>('/v1/conversions')).map(({ id }) => id).toSorted(),
    ).toEqual(acknowledged.toSorted());
  });
});
