import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@refledger/engines';
import { readBackupMarker, writeBackupMarker } from '@refledger/operator';
import { jsonLines, ops } from './ops-process.js';
import { runInProcess } from './run-in-process.js';
import { SampleDirectory } from './sample-directory.js';

let directory: SampleDirectory;
let copy: string;
beforeEach(async () => {
  directory = await SampleDirectory.make();
  copy = join(directory.path, 'copy');
  expect(await ops(directory.path, 'backup', copy)).toMatchObject({ code: 0 });
});
afterEach(() => directory.remove());

const restorations = async () =>
  jsonLines(await ops(copy, 'tail', '--json', '--from', '1')).flatMap(({ type, data }) =>
    type === 'log.restored' ? [data] : [],
  );

it('records that a backup has taken the place of the original, and removes its marker', async () => {
  const marker = readBackupMarker(dataDirectory(copy));
  expect(await ops(copy, 'restored')).toEqual({
    code: 0,
    out: `recorded: the backup of ${marker?.time} (position ${marker?.position}) has taken the original's place. A service sends from its next start, unless OUTGOING is off.\n`,
    err: '',
  });
  expect(existsSync(dataDirectory(copy).backup)).toBe(false);
  expect(await restorations()).toEqual([marker]);
  expect(await ops(copy, 'restored')).toEqual({
    code: 0,
    out: `already recorded: the backup of ${marker?.time} (position ${marker?.position}) has taken the original's place.\n`,
    err: '',
  });
  expect(await restorations()).toHaveLength(1);
});

it('continues after a crash that left the marker there', async () => {
  const marker = readBackupMarker(dataDirectory(copy));
  await ops(copy, 'restored');
  if (marker !== undefined) await writeBackupMarker(dataDirectory(copy), marker);
  expect(await ops(copy, 'restored')).toMatchObject({ code: 0, err: '' });
  expect(existsSync(dataDirectory(copy).backup)).toBe(false);
  expect(await restorations()).toHaveLength(1);
});

it('refuses a directory that is no backup, an incomplete backup, and an unreadable marker', async () => {
  expect(await ops(directory.path, 'restored')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not a backup that ops backup made') as string,
  });
  const { backup } = dataDirectory(copy);
  await writeBackupMarker(dataDirectory(copy), {
    position: null,
    event_id: null,
    time: '2026-11-30T01:00:00.000Z',
  });
  expect(await ops(copy, 'restored')).toMatchObject({
    code: 3,
    err: expect.stringContaining('did not complete. Use another backup') as string,
  });
  writeFileSync(backup, 'torn');
  expect(await ops(copy, 'restored')).toMatchObject({
    code: 3,
    err: expect.stringContaining('Copy the file from the backup again') as string,
  });
  expect([existsSync(backup), await restorations()]).toEqual([true, []]);
});

it('is for data directories only', async () => {
  const { code, err } = await runInProcess(['restored'], {
    env: { EVENT_LOG_URL: 'esdb://nobody:1', READ_STORE_URL: 'mongodb://nobody/refledger' },
  });
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('with OUTGOING=off') as string,
  });
});

it('ops copy refuses a backup before it marks anything', async () => {
  rmSync(join(copy, 'api-key'), { force: true });
  const { code, err } = await runInProcess(
    ['copy', '--from', copy, '--to', 'esdb://nobody:1', '--read-store', 'mongodb://nobody/x'],
    {},
  );
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('run ops restored') as string,
  });
  expect(existsSync(dataDirectory(copy).moved)).toBe(false);
});
