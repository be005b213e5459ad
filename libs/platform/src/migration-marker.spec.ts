import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, type DataFolder } from './data-folder.js';
import {
  FolderMoved,
  removeMigrationMarker,
  readMigrationMarker,
  refuseMoved,
  writeMigrationMarker,
  type MigrationMarker,
} from './migration-marker.js';

describe('the mark of a folder that moves', () => {
  const move: MigrationMarker = {
    state: 'moving',
    event_log: 'es:2113',
    read_store: 'mongo:27017/refledger',
    log_id: 'a log',
    since: '2026-01-01T00:00:00.000Z',
  };
  let folder: DataFolder;
  beforeEach(() => void (folder = dataFolder(mkdtempSync(join(tmpdir(), 'refledger-move-')))));
  afterEach(() => rmSync(folder.path, { recursive: true }));

  it('is not there before', () => {
    expect(readMigrationMarker(folder)).toBeUndefined();
    expect(() => refuseMoved(folder)).not.toThrow();
  });

  it('says while it moves how to finish and how to take it back', async () => {
    await writeMigrationMarker(folder, move);
    expect(readMigrationMarker(folder)).toEqual(move);
    expect(() => refuseMoved(folder)).toThrow(FolderMoved);
    expect(() => refuseMoved(folder)).toThrow(
      /es:2113 and MongoDB at mongo:27017\/refledger.*ops copy again.*--cancel/,
    );
  });

  it('says afterwards where it is', async () => {
    await writeMigrationMarker(folder, move);
    await writeMigrationMarker(folder, { ...move, state: 'moved' });
    expect(() => refuseMoved(folder)).toThrow(/was moved to EventStoreDB at es:2113/);
    expect(readdirSync(folder.path)).toEqual(['moved.json']);
    expect(statSync(folder.moved).mode & 0o777).toBe(0o600);
  });

  it('can be taken away', async () => {
    await writeMigrationMarker(folder, move);
    await removeMigrationMarker(folder);
    expect(() => refuseMoved(folder)).not.toThrow();
  });

  it.each(['', '{}', '{"state":"elsewhere"}'])('refuses when it holds %j', (text) => {
    writeFileSync(folder.moved, text);
    expect(() => refuseMoved(folder)).toThrow(FolderMoved);
  });
});
