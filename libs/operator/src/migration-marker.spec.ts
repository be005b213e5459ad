import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, type DataFolder } from '@refledger/engines';
import {
  FolderMoved,
  removeMigrationMarker,
  readMigrationMarker,
  refuseMoved,
  writeMigrationMarker,
  type MigrationMarker,
} from './migration-marker.js';

describe('the migration marker', () => {
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

  it('is missing before a migration', () => {
    expect(readMigrationMarker(folder)).toBeUndefined();
    expect(() => refuseMoved(folder)).not.toThrow();
  });

  it('during a migration, says how to finish or cancel it', async () => {
    await writeMigrationMarker(folder, move);
    expect(readMigrationMarker(folder)).toEqual(move);
    expect(() => refuseMoved(folder)).toThrow(FolderMoved);
    expect(() => refuseMoved(folder)).toThrow(
      /es:2113 and MongoDB at mongo:27017\/refledger.*ops copy again.*--cancel/,
    );
  });

  it('after a migration, says where the data is', async () => {
    await writeMigrationMarker(folder, move);
    await writeMigrationMarker(folder, { ...move, state: 'moved' });
    expect(() => refuseMoved(folder)).toThrow(/was moved to EventStoreDB at es:2113/);
    expect(readdirSync(folder.path)).toEqual(['moved.json']);
    expect(statSync(folder.moved).mode & 0o777).toBe(0o600);
  });

  it('can be removed', async () => {
    await writeMigrationMarker(folder, move);
    await removeMigrationMarker(folder);
    expect(() => refuseMoved(folder)).not.toThrow();
  });

  it.each(['', '{}', '{"state":"elsewhere"}'])('rejects the content %j', (text) => {
    writeFileSync(folder.moved, text);
    expect(() => refuseMoved(folder)).toThrow(FolderMoved);
  });
});
