/// <reference types="jest" />
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import { openSecretBox } from '@refledger/sealing';
import { runInProcess } from './run-in-process.js';
import { ids, type SampleDirectory } from './sample-directory.js';
import { keyRowsOf } from './stored-keys.js';

/** The key that replaces the sample's. */
export const newSecretsKey = randomBytes(32);

/** SECRETS_KEY while the sample's key is rotated: the new key and the old one. */
export const rotatedSecrets = ({ path }: SampleDirectory): string =>
  `${newSecretsKey.toString('base64')},${readFileSync(dataDirectory(path).secretsKey, 'utf8')}`;

/** Tests `ops keys rewrap`. The keys of the sample stay wrapped under the new key. */
export const rewrappedKeysSuite = (sample: () => SampleDirectory): void =>
  describe('keys rewrap', () => {
    const rewrap = (secretsKey?: string) =>
      runInProcess(['keys', 'rewrap'], {
        env: {
          DATA_DIR: sample().path,
          ...(secretsKey !== undefined && { SECRETS_KEY: secretsKey }),
        },
      });
    /** How many keys of the sample each SECRETS_KEY opens. */
    const opened = async (secretsKey: Buffer): Promise<number> => {
      const box = openSecretBox([secretsKey]);
      const rows = await keyRowsOf(embeddedUrls.KEY_STORE_URL, sample().path);
      const own = rows.filter(({ owner }) => owner === ids.account || owner === ids.affiliate);
      expect(own).toHaveLength(2);
      return own.filter((row) => row.kind === 'key' && box.hasKeyOf(row.key)).length;
    };

    it('names the owners of keys that do not open, and exits with 1', async () => {
      const ended = await rewrap(newSecretsKey.toString('base64'));
      expect(ended.code).toBe(1);
      expect(ended.out).toMatch(/^rewrapped 0, current already \d+, erased 0, unreadable 2\n$/);
      for (const owner of [ids.account, ids.affiliate])
        expect(ended.err).toMatch(
          new RegExp(`^ops: ${owner}: a wrapped key cannot be opened: SECRETS_KEY lacks`, 'm'),
        );
      expect(ended.err).toContain('Add the missing keys to the end of SECRETS_KEY');
      expect(await opened(newSecretsKey)).toBe(0);
    });

    it('wraps the keys under the new one, and names the secrets that it does not seal', async () => {
      const ended = await rewrap(rotatedSecrets(sample()));
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toMatch(/^rewrapped 2, current already \d+, erased 0\n/);
      expect(ended.out).toContain(
        `\nOlder keys still seal the secrets of 1 webhook endpoint: ${ids.endpoint}. Keep these keys`,
      );
      expect(await opened(newSecretsKey)).toBe(2);
      expect((await rewrap(rotatedSecrets(sample()))).out).toMatch(/^rewrapped 0, /);
    });

    it('uses the key of the directory without SECRETS_KEY, and needs one of them', async () => {
      const { secretsKey: file } = dataDirectory(sample().path);
      const key = readFileSync(file, 'utf8');
      expect((await rewrap()).err).toContain(`ops: ${ids.account}: `);
      rmSync(file);
      try {
        expect(await rewrap()).toEqual({
          code: 2,
          out: '',
          err: `ops: SECRETS_KEY is not set, and ${file} holds no key. Set SECRETS_KEY to the value that the service uses.\n`,
        });
      } finally {
        writeFileSync(file, key, { mode: 0o600 });
      }
    });
  });
