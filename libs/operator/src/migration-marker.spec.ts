import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory, type DataDirectory } from '@refledger/engines';
import {
  DirectoryMoved,
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
  let directory: DataDirectory;
  beforeEach(
    () => void (directory = dataDirectory(mkdtempSync(join(tmpdir(), 'refledger-move-')))),
  );
  afterEach(() => rmSync(directory.path, { recursive: true }));

  it('is missing before a migration', () => {
    expect(readMigrationMarker(directory)).toBeUndefined();
    expect(() => refuseMoved(directory)).not.toThrow();
  });

  it('during a migration, says how to finish or cancel it', async () => {
    await writeMigrationMarker(directory, move);
    expect(readMigrationMarker(directory)).toEqual(move);
    expect(() => refuseMoved(directory)).toThrow(DirectoryMoved);
    expect(() => refuseMoved(directory)).toThrow(
      /es:2113 and MongoDB at mongo:27017\/refledger.*ops copy again.*--cancel/,
    );
  });

  it('after a migration, says where the data is', async () => {
    await writeMigrationMarker(directory, move);
    await writeMigrationMarker(directory, { ...move, state: 'moved' });
    expect(() => refuseMoved(directory)).toThrow(/was moved to EventStoreDB at es:2113/);
    expect(readdirSync(directory.path)).toEqual(['moved.json']);
    expect(statSync(directory.moved).mode & 0o777).toBe(0o600);
  });

  it('can be removed', async () => {
    await writeMigrationMarker(directory, move);
    await removeMigrationMarker(directory);
    expect(() => refuseMoved(directory)).not.toThrow();
  });

  it.each(['', '{}', '{"state":"elsewhere"}'])('rejects the content %j', (text) => {
    writeFileSync(directory.moved, text);
    expect(() => refuseMoved(directory)).toThrow(DirectoryMoved);
  });
});
