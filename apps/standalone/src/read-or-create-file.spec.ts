import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateFile } from './read-or-create-file.js';

describe('readOrCreateFile', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-keep-'));
    path = join(directory, 'kept');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('creates a missing file, for its owner only, and reads it from then on', async () => {
    expect([
      await readOrCreateFile(path, () => 'first'),
      await readOrCreateFile(path, () => 'second'),
    ]).toEqual(['first', 'first']);
    expect(await readFile(path, 'utf8')).toBe('first\n');
    expect(await readdir(directory)).toEqual(['kept']);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('never replaces an existing file', async () => {
    await writeFile(path, 'by hand');
    expect(await readOrCreateFile(path, () => 'new')).toBe('by hand');
  });

  it('fails if the file cannot be written', async () => {
    await expect(
      readOrCreateFile(join(directory, 'missing', 'kept'), () => 'x'),
    ).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
