import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory, type DataDirectory } from '@refledger/engines';
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

let directory: DataDirectory;
beforeEach(
  () => void (directory = dataDirectory(mkdtempSync(join(tmpdir(), 'refledger-marker-')))),
);
afterEach(() => rmSync(directory.path, { recursive: true }));

describe('the backup marker', () => {
  it('is missing in a directory that is no backup', () => {
    expect(readBackupMarker(directory)).toBeUndefined();
    expect(whyBackupSendsNothing(directory)).toBeUndefined();
  });

  it('names the backup, for the owner only', async () => {
    await writeBackupMarker(directory, monday);
    expect(readBackupPoint(directory)).toEqual(monday);
    expect(whyBackupSendsNothing(directory)).toBe(
      `this data directory is a backup made at ${monday.time}. ${advice}`,
    );
    expect(readdirSync(directory.path)).toEqual(['backup.json']);
    expect(statSync(directory.backup).mode & 0o777).toBe(0o600);
  });

  it('of a backup that was not completed blocks sending, and is no backup to restore', async () => {
    await writeBackupMarker(directory, begun);
    expect(readBackupMarker(directory)).toEqual(begun);
    expect(() => readBackupPoint(directory)).toThrow(/did not complete. Use another backup/);
    expect(whyBackupSendsNothing(directory)).toContain('incomplete');
  });

  it.each(['', '{}', '{"position":"9"}'])('blocks sending with the content %j', (text) => {
    writeFileSync(directory.backup, text);
    expect(whyBackupSendsNothing(directory)).toContain('backup.json in it cannot be read');
    expect(() => readBackupMarker(directory)).toThrow(BackupUnusable);
  });

  it('may have been removed by another command', async () => {
    await writeBackupMarker(directory, monday);
    await removeBackupMarker(directory);
    await removeBackupMarker(directory);
    expect(isBackup(directory)).toBe(false);
  });

  it('blocks sending even as a link to nothing', () => {
    symlinkSync('not-mounted', directory.backup);
    expect(isBackup(directory)).toBe(true);
    expect(whyBackupSendsNothing(directory)).toContain('backup.json in it cannot be read');
  });
});
