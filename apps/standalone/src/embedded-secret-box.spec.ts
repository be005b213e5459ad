import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory, type DataDirectory } from '@refledger/engines';
import { readConfig } from '@refledger/platform';
import { embeddedSecretBox } from './embedded-secret-box.js';

describe('embeddedSecretBox', () => {
  let directory: DataDirectory;
  beforeEach(
    async () => void (directory = dataDirectory(await mkdtemp(join(tmpdir(), 'refledger-box-')))),
  );
  afterEach(() => rm(directory.path, { recursive: true }));

  it('creates a key, and opens previous secrets with it after a restart', async () => {
    const sealed = (await embeddedSecretBox(readConfig({}), directory)).seal('a secret');
    expect((await embeddedSecretBox(readConfig({}), directory)).open(sealed)).toBe('a secret');
  });

  it('stores the key in the format of SECRETS_KEY', async () => {
    const sealed = (await embeddedSecretBox(readConfig({}), directory)).seal('a secret');
    const config = readConfig({
      SECRETS_KEY: (await readFile(directory.secretsKey, 'utf8')).trim(),
    });
    await rm(directory.secretsKey);
    expect((await embeddedSecretBox(config, directory)).open(sealed)).toBe('a secret');
  });

  it('makes no new key beside personal keys that a lost one sealed', async () => {
    await writeFile(directory.personalKeys, 'sealed');
    await expect(embeddedSecretBox(readConfig({}), directory)).rejects.toMatchObject({
      name: 'SecretsKeyUnusable',
      message: expect.stringMatching(
        /secrets\.key is missing, but it sealed personal-keys\.db/,
      ) as string,
    });
    expect(await readdir(directory.path)).toEqual(['personal-keys.db']);
  });

  it.each(['', 'not a key', randomBytes(31).toString('base64'), randomBytes(32).toString('hex')])(
    'rejects a file that contains %j, and leaves it unchanged',
    async (content) => {
      await writeFile(directory.secretsKey, content);
      await expect(embeddedSecretBox(readConfig({}), directory)).rejects.toMatchObject({
        name: 'SecretsKeyUnusable',
        message: expect.stringContaining(directory.secretsKey) as string,
      });
      expect(await readFile(directory.secretsKey, 'utf8')).toBe(content);
    },
  );
});
