import { randomBytes } from 'node:crypto';
import type { DataDirectory } from '@refledger/engines';
import { decodeSecretsKey, type Config } from '@refledger/platform';
import { openSecretBox, type SecretBox } from '@refledger/sealing';
import { readOrCreateFile } from './read-or-create-file.js';

/**
 * Seals webhook secrets under `SECRETS_KEY`, or else under Refledger's own key in a file of the
 * data directory.
 */
export const embeddedSecretBox = async (
  config: Config,
  directory: DataDirectory,
): Promise<SecretBox> => openSecretBox(config.secretsKeys ?? [await ownKey(directory.secretsKey)]);

/**
 * Reads or creates the folder's key. Throws `SecretsKeyUnusable` for a file that holds something
 * else. It never replaces such a file, because the secrets sealed under a lost key would be lost
 * too.
 */
const ownKey = async (path: string): Promise<Buffer> => {
  const key = decodeSecretsKey(
    await readOrCreateFile(path, () => randomBytes(32).toString('base64')),
  );
  if (key === undefined)
    throw new SecretsKeyUnusable(
      `${path} does not contain 32 bytes in base64. Restore the original file, or move it away: the service then starts with a new key, and sends nothing until the endpoints are subscribed again.`,
    );
  return key;
};

/** The key file holds no key. The message names the file, never its contents. */
class SecretsKeyUnusable extends Error {
  override readonly name = 'SecretsKeyUnusable';
}
