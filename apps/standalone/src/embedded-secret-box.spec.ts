import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, type DataFolder } from '@refledger/engines';
import { readConfig } from '@refledger/platform';
import { embeddedSecretBox } from './embedded-secret-box.js';

describe('embeddedSecretBox', () => {
  let folder: DataFolder;
  beforeEach(
    async () => void (folder = dataFolder(await mkdtemp(join(tmpdir(), 'refledger-box-')))),
  );
  afterEach(() => rm(folder.path, { recursive: true }));

  it('creates a key, and opens previous secrets with it after a restart', async () => {
    const sealed = (await embeddedSecretBox(readConfig({}), folder)).seal('a secret');
    expect((await embeddedSecretBox(readConfig({}), folder)).open(sealed)).toBe('a secret');
  });

  it('stores the key in the format of SECRETS_KEY', async () => {
    const sealed = (await embeddedSecretBox(readConfig({}), folder)).seal('a secret');
    const config = readConfig({ SECRETS_KEY: (await readFile(folder.secretsKey, 'utf8')).trim() });
    await rm(folder.secretsKey);
    expect((await embeddedSecretBox(config, folder)).open(sealed)).toBe('a secret');
  });

  it.each(['', 'not a key', randomBytes(31).toString('base64'), randomBytes(32).toString('hex')])(
    'rejects a file that contains %j, and leaves it unchanged',
    async (content) => {
      await writeFile(folder.secretsKey, content);
      await expect(embeddedSecretBox(readConfig({}), folder)).rejects.toMatchObject({
        name: 'SecretsKeyUnusable',
        message: expect.stringContaining(folder.secretsKey) as string,
      });
      expect(await readFile(folder.secretsKey, 'utf8')).toBe(content);
    },
  );
});
