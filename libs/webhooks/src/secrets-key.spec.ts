import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecretsKeyFile } from './secrets-key.js';

describe('loadSecretsKeyFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secrets-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('makes a key that only its owner can read, and reads it from then on', async () => {
    const path = join(folder, 'secrets.key');
    const made = await loadSecretsKeyFile(path);

    expect(made).toHaveLength(32);
    expect(await loadSecretsKeyFile(path)).toEqual(made);
    expect(await readdir(folder)).toEqual(['secrets.key']);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('holds the key as SECRETS_KEY takes it', async () => {
    const path = join(folder, 'secrets.key');
    const made = await loadSecretsKeyFile(path);

    expect(await readFile(path, 'utf8')).toBe(`${made.toString('base64')}\n`);
  });

  it('answers one key to all that start at once', async () => {
    const path = join(folder, 'secrets.key');
    const keys = await Promise.all(Array.from({ length: 30 }, () => loadSecretsKeyFile(path)));

    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['secrets.key']);
  });

  it.each(['', 'not a key', randomBytes(16).toString('base64'), randomBytes(32)])('refuses a malformed file, and leaves it as it is', async (content) => {
    const path = join(folder, 'secrets.key');
    await writeFile(path, content);

    await expect(loadSecretsKeyFile(path)).rejects.toThrow(`${path} is not a secrets key: it must hold 32 bytes in base64.`);
    expect(await readFile(path)).toEqual(Buffer.from(content));
  });

  it('says when the folder can’t be written or the path can’t be read', async () => {
    await expect(loadSecretsKeyFile(join(folder, 'none', 'secrets.key'))).rejects.toThrow('ENOENT');
    await expect(loadSecretsKeyFile(folder)).rejects.toThrow('EISDIR');
  });
});
