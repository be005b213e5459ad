import {
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
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

  it('never replaces a link, even if what it names is not there', async () => {
    const elsewhere = join(directory, 'not mounted');
    await symlink(elsewhere, path);
    await expect(readOrCreateFile(path, () => 'new')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readlink(path)).toBe(elsewhere);
  });

  it('writes nothing to what an earlier process left, and replaces it', async () => {
    const others = join(directory, 'readable by others');
    await writeFile(others, '', { mode: 0o644 });
    await symlink(others, `${path}.new`);
    expect(await readOrCreateFile(path, () => 'secret')).toBe('secret');
    expect(await readFile(others, 'utf8')).toBe('');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('fails if the file cannot be written', async () => {
    await expect(
      readOrCreateFile(join(directory, 'missing', 'kept'), () => 'x'),
    ).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
