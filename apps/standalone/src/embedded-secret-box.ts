import { randomBytes } from 'node:crypto';
import {
  decodeSecretsKey,
  readOrCreateFile,
  type Config,
  type DataFolder,
} from '@refledger/platform';
import { openSecretBox, type SecretBox } from '@refledger/webhooks';

/** Seals webhook secrets under `SECRETS_KEY`, or else under a key of our own in a file of the data folder. */
export const embeddedSecretBox = async (config: Config, folder: DataFolder): Promise<SecretBox> =>
  openSecretBox(config.secretsKeys ?? [await ownKey(folder.secretsKey)]);

/** A file that holds anything else than a key is refused, never replaced: what was sealed under the key that it held would be lost. */
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

/** What should be a key is none. The message says where, never what is there. */
export class SecretsKeyUnusable extends Error {
  override readonly name = 'SecretsKeyUnusable';
}
