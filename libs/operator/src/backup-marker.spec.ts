import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, type DataFolder } from '@refledger/engines';
import {
  BackupUnusable,
  isBackup,
  readBackupMarker,
  readBackupPoint,
  removeBackupMarker,
  whyBackupSendsNothing,
  writeBackupMarker,
} from './backup-marker.js';

const monday = { position: '9', event_id: 'an event', time: '2026-11-30T01:00:00.000Z' };
const begun = { position: null, event_id: null, time: monday.time };
const advice = "If it has taken the original's place, run ops restored";

let folder: DataFolder;
beforeEach(() => void (folder = dataFolder(mkdtempSync(join(tmpdir(), 'refledger-marker-')))));
afterEach(() => rmSync(folder.path, { recursive: true }));

describe('the backup marker', () => {
  it('is missing in a directory that is no backup', () => {
    expect(readBackupMarker(folder)).toBeUndefined();
    expect(whyBackupSendsNothing(folder)).toBeUndefined();
  });

  it('names the backup, for the owner only', async () => {
    await writeBackupMarker(folder, monday);
    expect(readBackupPoint(folder)).toEqual(monday);
    expect(whyBackupSendsNothing(folder)).toBe(
      `this data directory is a backup made at ${monday.time}. ${advice}`,
    );
    expect(readdirSync(folder.path)).toEqual(['backup.json']);
    expect(statSync(folder.backup).mode & 0o777).toBe(0o600);
  });

  it('of a backup that was not completed blocks sending, and is no backup to restore', async () => {
    await writeBackupMarker(folder, begun);
    expect(readBackupMarker(folder)).toEqual(begun);
    expect(() => readBackupPoint(folder)).toThrow(/did not complete. Use another backup/);
    expect(whyBackupSendsNothing(folder)).toContain('incomplete');
  });

  it.each(['', '{}', '{"position":"9"}'])('blocks sending with the content %j', (text) => {
    writeFileSync(folder.backup, text);
    expect(whyBackupSendsNothing(folder)).toContain('backup.json in it cannot be read');
    expect(() => readBackupMarker(folder)).toThrow(BackupUnusable);
  });

  it('may have been removed by another command', async () => {
    await writeBackupMarker(folder, monday);
    await removeBackupMarker(folder);
    await removeBackupMarker(folder);
    expect(isBackup(folder)).toBe(false);
  });

  it('blocks sending even as a link to nothing', () => {
    symlinkSync('not-mounted', folder.backup);
    expect(isBackup(folder)).toBe(true);
    expect(whyBackupSendsNothing(folder)).toContain('backup.json in it cannot be read');
  });
});
