import { randomBytes } from 'node:crypto';
import {
  decodeSecretsKey,
  readOrCreateFile,
  type Config,
  type DataFolder,
} from '@refledger/platform';
import { openSecretBox, type SecretBox } from '@refledger/webhooks';

/**
 * Seals webhook secrets under `SECRETS_KEY`, or else under Refledger's own key in a file of the
 * data folder.
 */
export const embeddedSecretBox = async (config: Config, folder: DataFolder): Promise<SecretBox> =>
  openSecretBox(config.secretsKeys ?? [await ownKey(folder.secretsKey)]);

/**
 * Reads or creates the folder's key. Throws `SecretsKeyUnusable` for a file that holds something
 * else and never replaces it, because the secrets sealed under a lost key would be lost too.
 */
const ownKey = async (path: string): Promise<Buffer> => {
  const key = decodeSecretsKey(
    await readOrCreateFile(path, () => randomBytes(32).toString('base64')),
  );
  if (key === undefined)
    throw new SecretsKeyUnusable(
      `${path} is not a secrets key: it must hold 32 bytes in base64. Put back the file that was there, or what is sealed under it stays unreadable.`,
    );
  return key;
};

/** The key file holds no key. The message names the file, never its contents. */
export class SecretsKeyUnusable extends Error {
  override readonly name = 'SecretsKeyUnusable';
}
