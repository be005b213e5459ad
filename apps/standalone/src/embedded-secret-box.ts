import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DataDirectory } from '@refledger/engines';
import { decodeSecretsKey, type Config } from '@refledger/platform';
import { openSecretBox, type SecretBox } from '@refledger/sealing';
import { readOrCreateFile } from './read-or-create-file.js';

/**
 * Seals webhook secrets and the key store under `SECRETS_KEY`, or else under Refledger's own key in
 * a file of the data directory. Call it before the key store is created.
 */
export const embeddedSecretBox = async (
  config: Config,
  directory: DataDirectory,
): Promise<SecretBox> => openSecretBox(config.secretsKeys ?? [await ownKey(directory)]);

/**
 * Reads or creates the directory's key. Throws `SecretsKeyUnusable` for a file that holds something
 * else, and for a missing one if there are keys that were sealed with it. It never replaces such a
 * file, because everything that was sealed under a lost key would be lost too.
 */
const ownKey = async ({ secretsKey: path, personalKeys }: DataDirectory): Promise<Buffer> => {
  if (existsSync(personalKeys) && !existsSync(path))
    throw new SecretsKeyUnusable(
      `${path} is missing, but it sealed ${basename(personalKeys)} beside it. Restore the file, or set SECRETS_KEY to what it contained.`,
    );
  const key = decodeSecretsKey(
    await readOrCreateFile(path, () => randomBytes(32).toString('base64')),
  );
  if (key === undefined)
    throw new SecretsKeyUnusable(
      `${path} does not contain 32 bytes in base64. Restore the original file: nothing else opens the personal data and webhook secrets that it sealed.`,
    );
  return key;
};

/** The key file holds no key. The message names the file, never its contents. */
class SecretsKeyUnusable extends Error {
  override readonly name = 'SecretsKeyUnusable';
}
